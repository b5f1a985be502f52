# add_rung(NN_name [LIBRARY_CALL] [ARCHITECTURES nn...])
#
# Adds a rung to the `ladder` program, and the target NN_name: a program that holds this rung alone
# (and 00, which it is compared with), built when somebody asks for it (`make rung-05`). g++ builds launch.cu for the emulator and, with LADDER_CUDA,
# nvcc builds the same file for the GPU. LIBRARY_CALL: rung 00, which has no kernel to emulate.
# ARCHITECTURES: those whose instructions it needs, where not all of CMAKE_CUDA_ARCHITECTURES have
# them.
function(add_rung name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LIBRARY_CALL" "" "ARCHITECTURES")
  if(arg_LIBRARY_CALL)
    set(emulated ${name}/launch_cpu.cpp)
  else()
    set(emulated ${name}/launch.cu)
  endif()
  set_property(GLOBAL APPEND PROPERTY LADDER_EMULATED_SOURCES ${emulated})

  if(LADDER_CUDA)
    add_library(gpu_${name} OBJECT ${name}/launch.cu)
    target_link_libraries(gpu_${name} PRIVATE ladder_options CUDA::cublas)
    if(arg_ARCHITECTURES)
      set_target_properties(gpu_${name} PROPERTIES CUDA_ARCHITECTURES "${arg_ARCHITECTURES}")
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
