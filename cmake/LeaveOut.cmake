# gprofx_leave_out(ARCHIVE OUT NAMES...): OUT becomes a copy of a static archive whose calls of NAMES go to gprofx_left_out_NAME. For what
# no call of ours reaches, but a table of the library names, and with it much else.
function(gprofx_leave_out archive out)
  if(EXISTS ${out} AND ${out} IS_NEWER_THAN ${archive})
    return()
  endif()
  set(renamed "")
  foreach(name IN LISTS ARGN)
    list(APPEND renamed --redefine-sym ${name}=gprofx_left_out_${name})
  endforeach()
  execute_process(COMMAND ${CMAKE_OBJCOPY} ${renamed} ${archive} ${out} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
