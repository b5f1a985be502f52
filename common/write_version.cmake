# Script: writes a source that tells version and commit of the sources.
#   cmake -D SOURCES=folder -D VERSION=0.2.0 -D OUTPUT=file.cpp -P write_version.cmake
set(version ${VERSION})
set(commit unknown)
if(EXISTS ${SOURCES}/COMMIT) # a copy for a class or for Gradescope
  file(STRINGS ${SOURCES}/COMMIT commit LIMIT_COUNT 1)
elseif(EXISTS ${SOURCES}/.git) # else git would find a repository that the sources were unpacked in
  execute_process(
    COMMAND git describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${SOURCES}
    OUTPUT_VARIABLE described
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(commit ${described})
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/built_version.cpp.in ${OUTPUT} @ONLY)
file(TOUCH ${OUTPUT}) # it is up to date, even if nothing changed
