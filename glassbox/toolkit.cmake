# A folder that looks like CUDA's Toolkit to Makefiles and to CMake: bin/nvcc, include/, lib64/. Its
# programs hand over to `glassbox`, its headers are ours, and its libraries only have names:
# `glassbox nvcc` links the run time by itself.

# write_toolkit(FOLDER GLASSBOX TREE): both as seen from the folder's own folders
function(write_toolkit folder glassbox tree)
  foreach(name nvcc g++ c++ gcc cc)
    file(CONFIGURE OUTPUT ${folder}/bin/${name} @ONLY CONTENT
         "#!/bin/sh\nexec \"$(dirname \"$(readlink -f \"$0\")\")/${glassbox}\" ${name} \"$@\"\n")
    file(CHMOD ${folder}/bin/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
         GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
  foreach(part emulator glassbox) # a program's header of one name comes last, and stays
    file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/${part}/cuda_headers
         ${PROJECT_SOURCE_DIR}/${part}/cuda_headers/*)
    foreach(header IN LISTS headers)
      string(REGEX REPLACE "[^/]+/" "../" up "${header}")
      get_filename_component(up "${up}" DIRECTORY)
      if(up)
        string(APPEND up "/")
      endif()
      file(CONFIGURE OUTPUT ${folder}/include/${header} @ONLY CONTENT
           "#include \"${up}${tree}/${part}/cuda_headers/${header}\"\n")
    endforeach()
  endforeach()
  foreach(library libcudart.so libcudart_static.a libcudadevrt.a libcublas.so stubs/libcuda.so)
    file(CONFIGURE OUTPUT ${folder}/lib64/${library} CONTENT "/* glassbox nvcc links the run time */\n")
  endforeach()
endfunction()

cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_BINARY_DIR}/cuda/include
           OUTPUT_VARIABLE tree)
write_toolkit(${CMAKE_BINARY_DIR}/cuda ../../glassbox ${tree})
set(bin ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR})
cmake_path(RELATIVE_PATH bin BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${LADDER_DATA}/cuda/bin
           OUTPUT_VARIABLE bin)
write_toolkit(${CMAKE_BINARY_DIR}/cuda_installed ${bin}/glassbox ../..)
install(
  DIRECTORY ${CMAKE_BINARY_DIR}/cuda_installed/
  DESTINATION ${LADDER_DATA}/cuda
  USE_SOURCE_PERMISSIONS)
