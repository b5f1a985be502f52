# own_architectures(RESULT): which of LADDER_HOPPER_AND_BLACKWELL this build compiles. All of them
# would double the time of a build: it takes 90a, what the GPUs of this machine need, and what
# LADDER_ALSO_FOR asks for, if the nvcc knows it.
function(own_architectures result)
  execute_process(
    COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE wanted
    ERROR_QUIET)
  string(REGEX REPLACE "([0-9]+)[.]([0-9])\n" "\\1\\2a;" wanted "${wanted}")
  if(LADDER_ALSO_FOR STREQUAL all)
    set(wanted ${LADDER_HOPPER_AND_BLACKWELL})
  endif()
  list(APPEND wanted 90a ${LADDER_ALSO_FOR})

  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" known "${known}")
  set(own)
  foreach(architecture IN LISTS LADDER_HOPPER_AND_BLACKWELL)
    string(REPLACE a "" number ${architecture})
    if(architecture IN_LIST wanted AND "sm_${number}" IN_LIST known)
      list(APPEND own ${architecture})
    endif()
  endforeach()
  foreach(architecture IN LISTS LADDER_ALSO_FOR)
    if(NOT architecture IN_LIST own AND NOT architecture STREQUAL all)
      list(JOIN LADDER_HOPPER_AND_BLACKWELL " " table)
      message(FATAL_ERROR "LADDER_ALSO_FOR=${architecture}: this nvcc does not know it, or the rungs are "
                          "not made for it. Choose all, or some of ${table}")
    endif()
  endforeach()
  set(${result} ${own} PARENT_SCOPE)
endfunction()
if(LADDER_CUDA)
  own_architectures(LADDER_OWN_ARCHITECTURES)
endif()

# add_rung(NN_name [LIBRARY_CALL] [ARCHITECTURES list])
#
# Adds a rung to the `ladder` program, and the target NN_name: a program that holds this rung alone
# (and 00, which it is compared with), built when somebody asks for it (`make rung-05`). g++ builds launch.cu for the emulator and, with LADDER_CUDA,
# nvcc builds the same file for the GPU. LIBRARY_CALL: rung 00, which has no kernel to emulate.
# ARCHITECTURES: AMPERE_AND_NEWER, HOPPER_AND_BLACKWELL or HOPPER, as the table says, where not all of
# CMAKE_CUDA_ARCHITECTURES have the instructions that it needs.
function(add_rung name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LIBRARY_CALL" "ARCHITECTURES" "")
  set(architectures ${LADDER_TURING_AND_NEWER})
  if(arg_ARCHITECTURES)
    set(architectures ${LADDER_${arg_ARCHITECTURES}})
  endif()
  list(JOIN architectures " " names)
  set_property(GLOBAL APPEND PROPERTY LADDER_RUNGS "${name}: ${names}")
  if(arg_LIBRARY_CALL)
    set(emulated ${name}/launch_cpu.cpp)
  else()
    set(emulated ${name}/launch.cu)
  endif()
  set_property(GLOBAL APPEND PROPERTY LADDER_EMULATED_SOURCES ${emulated})

  if(LADDER_CUDA)
    add_library(gpu_${name} OBJECT ${name}/launch.cu)
    target_link_libraries(gpu_${name} PRIVATE ladder_options CUDA::cublas)
    if(arg_ARCHITECTURES STREQUAL HOPPER_AND_BLACKWELL)
      set(architectures ${LADDER_OWN_ARCHITECTURES})
    endif()
    if(arg_ARCHITECTURES)
      set_target_properties(gpu_${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
    endif()
    set_target_properties(gpu_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set_property(GLOBAL APPEND PROPERTY LADDER_GPU_OBJECTS $<TARGET_OBJECTS:gpu_${name}>)
    if(NOT arg_LIBRARY_CALL)
      set_property(GLOBAL APPEND PROPERTY LADDER_GPU_KERNELS gpu_${name})
    endif()
  endif()

  if(NOT arg_LIBRARY_CALL)
    add_ladder_library(emulated_${name} ${emulated} ${LADDER_VENDOR}/launch_cpu.cpp)
    add_executable(${name} program/run_rung.cpp $<TARGET_OBJECTS:rung_table>)
    set_target_properties(${name} emulated_${name} emulated_${name}_objects
                          PROPERTIES EXCLUDE_FROM_ALL TRUE)
    target_compile_definitions(${name} PRIVATE LADDER_RUNG="${name}")
    target_link_libraries(${name} PRIVATE ladder_trace ladder_program emulated_${name})
    if(LADDER_CUDA)
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:gpu_${name}>
                                     $<TARGET_OBJECTS:gpu_${LADDER_VENDOR}>)
    endif()
  endif()
endfunction()

# add_ladder_library(target [TRACED] source...): the emulated rungs in `source`, behind
# emulated_rungs(), or, if each access can be traced, behind traced_rungs().
function(add_ladder_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACED" "" "")
  if(arg_TRACED)
    set(table traced_rungs)
    set(traced TRACED)
  else()
    set(table emulated_rungs)
    set(traced)
  endif()
  add_emulated_library(
    ${target} ${traced}
    EXPORT ladder::${table}*
    SOURCES ladder.cpp program/${table}.cpp ${arg_UNPARSED_ARGUMENTS}
    LIBRARIES ladder_options)
  target_include_directories(${target}_objects PRIVATE ${CBLAS_INCLUDE_DIR})
  target_link_libraries(${target} PRIVATE ${OPENBLAS_LIBRARY})
endfunction()
