# What is compiled for size: it prints, asks, directs, or works on tables that are small by then. What
# collects the samples of a program, what runs in it, reading a profile, its tree and its views are not.
function(gprofx_for_size)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Os>)
  endforeach()
endfunction()
