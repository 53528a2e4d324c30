# Kernels compiled for a newer processor must not leak into code that runs on older ones: they may
# define no function that other objects share, and run no vector instruction when loaded.
string(REPLACE "|" ";" objects "${OBJECTS}")
list(FILTER objects INCLUDE REGEX "\\.o$")  # CMake counts the precompiled header as an object
if(NOT objects)
  message(FATAL_ERROR "no objects to look at")
endif()
foreach(object IN LISTS objects)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* W [^\n]*" shared "${symbols}")
  list(FILTER shared EXCLUDE REGEX "x86_64_v[34]")
  if(shared)
    message(SEND_ERROR "${object} shares functions with other builds:\n${shared}")
  endif()
  execute_process(COMMAND ${OBJDUMP} -d -j .text.startup ${object} OUTPUT_VARIABLE startup
                  ERROR_QUIET)
  if(startup MATCHES "%[xyz]mm")
    message(SEND_ERROR "${object} runs vector instructions when it is loaded")
  endif()
endforeach()
