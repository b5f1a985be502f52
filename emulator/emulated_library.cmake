# How CUDA sources become a library for the CPU.

# Options for all code that calls into kernels. Beside speed:
#   -ffp-contract=fast       a*b + c becomes one fused operation, as nvcc makes it
#   avoid-fma-max-bits=0     ... also as a step of a sum, which g++ 13 and newer would leave unfused
#   -fno-tree-vectorize      ... always: vectors of products would be added up apart from them
#   -fno-strict-aliasing     reinterpret_cast<float4*>(floats) is everyday CUDA
#   -fno-finite-loops        a loop without an end stays one, and is reported
#   -fno-optimize-sibling-calls  a call in the last line leaves its line on the stack
#   -fno-extern-tls-init     `extern __shared__` arrays need no initialisation
#   -ftls-model, -fno-lto    shared memory is one instruction away; hooks and lines survive
#   -ftrivial-auto-var-init  a variable that nobody has set makes the result wrong; see
#                            trace/undefined_values.hpp
#   -fstack-clash-protection a stack that is too small meets its guard page
#   -fstack-protector-strong a function whose local array was overrun does not return; see
#                            run/block/stack_canary.cpp
#   -g                       reports name source lines
add_library(ladder_emulated_code INTERFACE)
target_compile_features(ladder_emulated_code INTERFACE cxx_std_20)
target_compile_options(
  ladder_emulated_code
  INTERFACE -O3
            -fno-tree-vectorize
            -mavx2
            -mfma
            -mf16c
            -ffp-contract=fast
            --param=avoid-fma-max-bits=0
            -fno-math-errno
            -fno-strict-aliasing
            -fno-finite-loops
            -fno-optimize-sibling-calls
            -fno-extern-tls-init
            -ftls-model=initial-exec
            -fno-lto
            -fno-semantic-interposition
            -fno-gnu-unique
            -ftrivial-auto-var-init=pattern
            -fstack-clash-protection
            -fstack-protector-strong
            -fPIC
            -g
            -Wall
            -Wextra
            -Wno-unknown-pragmas
            -Wno-class-memaccess)
# A file that includes cuda_runtime.h or the like finds CUDA's words there, with or without CUDA.
target_include_directories(ladder_emulated_code BEFORE
                           INTERFACE ${CMAKE_CURRENT_LIST_DIR}/cuda_headers)
if(LADDER_SANITIZE)
  # Kernels have the emulator's own checks; -fsanitize=thread excludes the address sanitizer.
  target_compile_options(ladder_emulated_code BEFORE INTERFACE -fno-sanitize=all)
endif()
target_link_libraries(ladder_emulated_code INTERFACE ladder_emulator)

# The same code with a call before each memory access, for tracing. What moves, merges or doubles
# accesses is off, so that what is counted is what the source says. Straight-line arithmetic may
# become vectors (slp), after the calls are in place; sums may then round otherwise in the last digit
# than the GPU's. Loops over a thread's results are unrolled whole: the bounds checks of their indices
# are gone then. g++ instruments assignments and no arguments or results of calls: without elided
# constructors, an object that is passed or returned by value is first copied to or from a variable.
# -Wtsan warns that g++'s race detector knows no fences; our hooks do.
add_library(ladder_traced_code INTERFACE)
target_link_libraries(ladder_traced_code INTERFACE ladder_emulated_code)
target_compile_options(
  ladder_traced_code
  INTERFACE -fsanitize=thread
            --param=tsan-instrument-func-entry-exit=0
            --param=tsan-distinguish-volatile=1
            -fsanitize=bounds-strict
            -fno-thread-jumps
            -fno-crossjumping
            -fno-tree-tail-merge
            -fno-ipa-icf
            -fno-ipa-cp-clone
            -fno-code-hoisting
            -fno-split-paths
            -fno-split-loops
            -fno-unswitch-loops
            -fno-version-loops-for-strides
            -fno-store-merging
            -fno-tree-loop-distribute-patterns
            -fno-plt
            -fno-elide-constructors
            -Wno-tsan
            -ftree-slp-vectorize
            --param=max-completely-peeled-insns=4000
            --param=max-completely-peel-times=32)

# What every kernel's file includes, compiled once: it takes g++ longer than a small kernel. Without
# LADDER_UNITY, and in other projects, each file has to include what it needs.
if(LADDER_UNITY)
  foreach(code ladder_emulated_code ladder_traced_code)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${code}.cpp CONTENT "")
    add_library(${code}_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${code}.cpp)
    target_link_libraries(${code}_headers PRIVATE ${code})
    target_precompile_headers(${code}_headers PRIVATE ${PROJECT_SOURCE_DIR}/common/launch.cuh)
  endforeach()
endif()

# add_emulated_library(TARGET
#                      [TRACED]
#                      EXPORT pattern...      functions that the host program calls
#                      SOURCES file...        .cu or .cpp
#                      [LIBRARIES target...])
#
# Builds a shared library of kernels and of the host functions that launch them. EXPORT takes C
# names and C++ names without parameters, with * for anything: `ladder::emulated_rungs*`,
# `run_probe`. All other symbols stay inside: nvcc gives its host stubs the names of our kernels,
# and two flavours of one template must not become one. A .cu source is compiled as C++.
#
# TRACED: the kernels can be traced (trace.hpp), and run at a fraction of the speed.
#
# `extern __shared__ T name[]` is a thread_local array that nobody defines. The build looks up all
# such names in the objects and defines them at one address, in front of 227 KiB.
function(add_emulated_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACED" "" "EXPORT;SOURCES;LIBRARIES")
  if(NOT arg_EXPORT OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_emulated_library(${target}): give EXPORT and SOURCES")
  endif()
  set(work_dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.emulated)

  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(source MATCHES "\\.cu$")
      string(REPLACE "${CMAKE_SOURCE_DIR}/" "" unit ${source})
      string(MAKE_C_IDENTIFIER ${unit} unit)
      file(CONFIGURE OUTPUT ${work_dir}/${unit}.cpp CONTENT "#include \"${source}\"\n" @ONLY)
      list(APPEND sources ${work_dir}/${unit}.cpp)
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()

  add_library(${target}_objects OBJECT ${sources})
  if(arg_TRACED)
    set(code ladder_traced_code)
  else()
    set(code ladder_emulated_code)
  endif()
  target_link_libraries(${target}_objects PRIVATE ${code} ${arg_LIBRARIES})
  if(TARGET ${code}_headers)
    target_precompile_headers(${target}_objects REUSE_FROM ${code}_headers)
  endif()

  set(definitions ${work_dir}/dynamic_shared.cpp)
  find_program(LADDER_READELF NAMES ${CMAKE_READELF} readelf REQUIRED)
  add_custom_command(
    OUTPUT ${definitions}
    COMMAND
      ${CMAKE_COMMAND} -D READELF=${LADDER_READELF} -D OUTPUT=${definitions} -D
      "OBJECTS=$<JOIN:$<TARGET_OBJECTS:${target}_objects>,$<SEMICOLON>>" -P
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/define_dynamic_shared.cmake
    DEPENDS ${target}_objects $<TARGET_OBJECTS:${target}_objects>
            ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/define_dynamic_shared.cmake
    COMMENT "Placing the dynamic shared memory of ${target}"
    VERBATIM)

  string(JOIN "; " exports ${arg_EXPORT})
  set(version_script ${work_dir}/exports.map)
  file(CONFIGURE OUTPUT ${version_script}
       CONTENT "{ global: ${exports}; extern \"C++\" { ${exports}; }; local: *; };\n" @ONLY)

  add_library(${target} SHARED ${definitions} $<TARGET_OBJECTS:${target}_objects>)
  target_link_libraries(${target} PUBLIC ladder_emulator PRIVATE ${arg_LIBRARIES})
  target_link_options(${target} PRIVATE -fno-lto -Wl,--version-script=${version_script} -Wl,-z,defs
                      -Wl,-z,now -Wl,--wrap=__stack_chk_fail)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${version_script})
endfunction()

# json_list(RESULT word...): the words, which may be generator expressions, as a list of JSON
function(json_list result)
  string(JOIN "$<SEMICOLON>" words ${ARGN})
  if(words STREQUAL "")
    set(${result} "[]" PARENT_SCOPE)
    return()
  endif()
  set(${result} "[\"$<JOIN:${words},\"$<COMMA> \">\"]" PARENT_SCOPE)
endfunction()

# add_compiled_header(TARGET
#                     HEADER path            that an #include or -include names first of all
#                     OUTPUT path.gch        where g++ looks for it: beside the header, or below
#                                            the same name in a folder that is searched before
#                     OPTIONS word...)       of every file that includes it, or generator expressions
#
# What our programs compile again and again, for a student or for a foreign program. g++ reads what
# it has made of a header in a tenth of the time. Where it may not, because an option differs or it
# is another g++, it reads the header itself.
function(add_compiled_header target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;OUTPUT" "OPTIONS")
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${CMAKE_CXX_COMPILER} ${arg_OPTIONS} -MD -MF ${arg_OUTPUT}.d -MT ${arg_OUTPUT}
            -x c++-header ${arg_HEADER} -o ${arg_OUTPUT}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${arg_OUTPUT}.new ${arg_OUTPUT} # a g++ may be reading it
    DEPENDS ${arg_HEADER}
    DEPFILE ${arg_OUTPUT}.d
    COMMENT "Compiling ${arg_OUTPUT}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target} DEPENDS ${arg_OUTPUT})
endfunction()
