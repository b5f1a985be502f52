# Copies of rungs from which something was taken away: sources that ablate.py writes into the build
# tree, when something that needs them is built.

find_package(Python3 COMPONENTS Interpreter)

# ablation_sources(PREFIX SUFFIX [EMULATED]): sets PREFIX_table, and PREFIX_90 and PREFIX_90a to the
# copies for these architectures, in files that end with SUFFIX. EMULATED: the table is for the
# emulator.
function(ablation_sources prefix suffix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "EMULATED" "" "")
  set(ablate ${Python3_EXECUTABLE} -m bench.benchmark.ablate)
  set(script ${PROJECT_SOURCE_DIR}/bench/benchmark/ablate.py)
  set(table_of_copies ${PROJECT_SOURCE_DIR}/bench/benchmark/ablations.py
                      ${PROJECT_SOURCE_DIR}/bench/benchmark/ablation_sources.py)
  set(flag)
  if(arg_EMULATED)
    set(flag --emulated)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table_of_copies})
  execute_process(COMMAND ${ablate} names WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${prefix})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/table.cpp
    COMMAND ${ablate} table ${flag} --out ${folder}/table.cpp
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${script} ${table_of_copies}
    VERBATIM)
  set(${prefix}_table ${folder}/table.cpp PARENT_SCOPE)

  foreach(entry IN LISTS names) # 13_copy:90a:13_small_products
    string(REPLACE ":" ";" entry ${entry})
    list(GET entry 0 name)
    list(GET entry 1 arch)
    list(GET entry 2 rung)
    set(source ${folder}/${name}${suffix})
    set(rung_folder ${PROJECT_SOURCE_DIR}/ladder/${rung})
    list(APPEND copies_${arch} ${source})
    file(GLOB headers CONFIGURE_DEPENDS ${rung_folder}/*.cuh ${rung_folder}/*.hpp)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${ablate} source ${name} --out ${source}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      DEPENDS ${rung_folder}/launch.cu ${headers} ${script} ${table_of_copies}
      COMMENT "Copy ${name}"
      VERBATIM)
  endforeach()
  set(${prefix}_90 ${copies_90} PARENT_SCOPE)
  set(${prefix}_90a ${copies_90a} PARENT_SCOPE)
endfunction()
