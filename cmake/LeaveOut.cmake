# gprofx_leave_out(ARCHIVE OUT NAMES...): OUT becomes a copy of a static archive whose calls of NAMES go to gprofx_left_out_NAME. For what
# no call of ours reaches, but a table of the library names, and with it much else. Another archive or another list makes another copy.
function(gprofx_leave_out archive out)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive})
  set(renamed "")
  foreach(name IN LISTS ARGN)
    list(APPEND renamed --redefine-sym ${name}=gprofx_left_out_${name})
  endforeach()
  execute_process(COMMAND ${CMAKE_OBJCOPY} ${renamed} ${archive} ${out}.new COMMAND_ERROR_IS_FATAL ANY)
  file(COPY_FILE ${out}.new ${out} ONLY_IF_DIFFERENT)
  file(REMOVE ${out}.new)
endfunction()
