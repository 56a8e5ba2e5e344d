# One warning set for the whole house. Warnings are errors in the presets only: a compiler that we have not met must not stop a user.
add_library(gprofx_warnings INTERFACE)
target_compile_options(gprofx_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Wcast-qual -Wformat=2 -Wundef -Wno-missing-field-initializers)
if(GPROFX_WERROR)
  target_compile_options(gprofx_warnings INTERFACE -Werror)
endif()
# GCC 12 takes "text" + std::string for a copy onto itself once it inlines enough (GCC bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(gprofx_warnings INTERFACE -Wno-restrict)
endif()
# With less than -O3 GCC sees std::optional and std::variant used uninitialised (GCC bug 80635); clang and -O0 are not fooled.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(gprofx_warnings INTERFACE $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
target_include_directories(gprofx_warnings INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
