# Sanitizers apply to every target but the in-target agent, which lives in programs that are not ours.
add_library(gprofx_sanitize INTERFACE)
if(GPROFX_SANITIZE)
  target_compile_options(gprofx_sanitize INTERFACE -fsanitize=${GPROFX_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(gprofx_sanitize INTERFACE -fsanitize=${GPROFX_SANITIZE})
endif()
