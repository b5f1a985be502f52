# Script: writes kernel.cuh and launch.cu of FOLDER to OUTPUT as one source, with the text of
# OUTPUT.text replaced by that of OUTPUT.replacement, in the namespace ladder::mutant_NAME.
file(READ ${FOLDER}/kernel.cuh kernel)
file(READ ${FOLDER}/launch.cu launch)
file(READ ${OUTPUT}.text text)
file(READ ${OUTPUT}.replacement replacement)

string(FIND "${kernel}" "${text}" first)
string(FIND "${kernel}" "${text}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "The mutant ${NAME} needs this text exactly once in ${FOLDER}/kernel.cuh. If "
                      "the kernel has changed for good, change the mutant too:\n${text}")
endif()
string(REPLACE "${text}" "${replacement}" kernel "${kernel}")
string(REPLACE "#pragma once" "" kernel "${kernel}")
string(REPLACE "#include \"ladder/${RUNG}/kernel.cuh\"" "" launch "${launch}")
string(REGEX REPLACE "^[0-9]+_" "" rung_name ${RUNG})
string(REPLACE "ladder::${rung_name}" "ladder::mutant_${NAME}" source "${kernel}\n${launch}")
file(WRITE ${OUTPUT} "${source}")
