find_package(Python3 COMPONENTS Interpreter)

# add_copies(module suffix file...): sources of the edited copies of rungs that a Python module lists
# (bench/copies.py). Sets each list of the module to its sources, which end with `suffix`, in the
# scope of the caller, and copies_folder to where they and the tables `file` will be.
#
# They are written when something that needs them is built, all by one process; only those that differ
# are then compiled. A copy that cannot be made stops its own compiler, and so nothing but the tests.
function(add_copies module suffix)
  set(copies ${Python3_EXECUTABLE} -m ${module})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/copies)
  file(MAKE_DIRECTORY ${folder})
  string(REPLACE "." "/" script ${module})
  execute_process(
    COMMAND ${copies} list
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE lists
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lists "${lists}")
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE written)
  foreach(line IN LISTS lists)
    separate_arguments(line)
    list(POP_FRONT line name)
    if(name STREQUAL listed_by)
      list(TRANSFORM line PREPEND ${PROJECT_SOURCE_DIR}/)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${line})
      continue()
    endif()
    list(TRANSFORM line REPLACE "(.+)" "${folder}/\\1${suffix}")
    set(${name} ${line} PARENT_SCOPE)
    list(APPEND written ${line})
  endforeach()
  list(REMOVE_DUPLICATES written)
  list(GET written 0 first)
  add_custom_command(
    OUTPUT ${written}
    COMMAND ${copies} write ${folder} ${suffix} ${first}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${PROJECT_SOURCE_DIR}/${script}.py
    DEPFILE ${folder}/written.d
    COMMENT "Copies of rungs: ${module}"
    VERBATIM)
  set(copies_folder ${folder} PARENT_SCOPE)
endfunction()
