# Script: finds the thread_local symbols that OBJECTS use and none of them defines, and writes to
# OUTPUT a source that defines them all at the start of one block.
#   cmake -D READELF=... -D OUTPUT=file.cpp -D OBJECTS=a.o;b.o -P define_dynamic_shared.cmake

set(bytes 232448) # 227 KiB, the most that CUDA gives a block
set(names ladder_dynamic_shared)
set(defined)
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${READELF} --symbols --wide ${object} OUTPUT_VARIABLE table
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " TLS +(GLOBAL|WEAK) +[A-Z]+ +[^\n]+" rows "${table}")
  foreach(row IN LISTS rows)
    if(row MATCHES " UND +_ZSt") # the standard library's own
      continue()
    elseif(row MATCHES " UND +([^ \n]+)")
      list(APPEND names ${CMAKE_MATCH_1})
    elseif(row MATCHES " [0-9]+ +([^ \n]+)$")
      list(APPEND defined ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
if(defined)
  list(REMOVE_ITEM names ${defined})
endif()

set(text "// Written by define_dynamic_shared.cmake.\n")
string(APPEND text "__asm__(\".section .tbss,\\\"awT\\\",@nobits\\n\"\n")
string(APPEND text "        \".balign 1024\\n\"\n")
foreach(name IN LISTS names)
  if(NOT name MATCHES "^[A-Za-z0-9_.$]+$") # it would be read as assembly
    message(FATAL_ERROR "a thread_local symbol has the name ${name}")
  endif()
  string(APPEND text "        \".globl ${name}\\n.type ${name},@object\\n.size ${name},${bytes}\\n\"\n"
         "        \"${name}:\\n\"\n")
endforeach()
string(APPEND text "        \".zero ${bytes}\\n\"\n        \".text\\n\");\n")
file(WRITE ${OUTPUT} "${text}")
