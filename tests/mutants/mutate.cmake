# Script: writes launch.cu of FOLDER and the kernels that it includes to OUTPUT as one source, in the
# namespace ladder::mutant_NAME, with the text of OUTPUT.text1 replaced by that of
# OUTPUT.replacement1, and so on for EDITS texts. WAY: of a rung that chooses, the only way that is
# left. What kernel.cuh includes from FOLDER stands in front of it.
file(READ ${FOLDER}/kernel.cuh kernel)
file(READ ${FOLDER}/launch.cu launch)
set(own "#include \"(ladder/${RUNG}/[a-z_]+[.]cuh)\"")
string(REGEX MATCHALL "${own}" below "${kernel}")
string(REGEX MATCHALL "${own}" all "${launch}")
set(parts ${below} "#include \"ladder/${RUNG}/kernel.cuh\"" ${all})
list(TRANSFORM parts REPLACE "${own}" "\\1")
list(REMOVE_DUPLICATES parts)
set(source)
foreach(part IN LISTS parts)
  file(READ ${FOLDER}/../../${part} more)
  string(APPEND source "${more}" "\n")
endforeach()
string(APPEND source "${launch}")

foreach(number RANGE 1 ${EDITS})
  file(READ ${OUTPUT}.text${number} text)
  file(READ ${OUTPUT}.replacement${number} replacement)
  string(FIND "${source}" "${text}" first)
  string(FIND "${source}" "${text}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "The mutant ${NAME} needs this text exactly once in launch.cu of ${FOLDER} and "
                        "the kernels that it includes. If they have changed for good, change the "
                        "mutant too:\n${text}")
  endif()
  string(REPLACE "${text}" "${replacement}" source "${source}")
endforeach()

if(WAY)
  string(REGEX MATCHALL "\n    {\"[^}]*}," ways "${source}")
  set(found FALSE)
  foreach(way IN LISTS ways)
    if(way MATCHES "{\"${WAY}\"")
      set(found TRUE)
    else()
      string(REPLACE "${way}" "" source "${source}")
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "The mutant ${NAME} wants the way \"${WAY}\", which ${FOLDER}/launch.cu no "
                        "longer has: choose another one")
  endif()
endif()

string(REPLACE "#pragma once" "" source "${source}")
string(REGEX REPLACE "#include \"ladder/${RUNG}/[a-z_]+[.]cuh\"" "" source "${source}")
string(REGEX REPLACE "^[0-9]+_" "" rung_name ${RUNG})
string(REPLACE "ladder::${rung_name}" "ladder::mutant_${NAME}" source "${source}")
string(REPLACE " ${rung_name}::" " mutant_${NAME}::" source "${source}")
file(WRITE ${OUTPUT} "${source}")
