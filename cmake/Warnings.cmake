# One warning set for the whole house; warnings are errors.
add_library(gprofx_warnings INTERFACE)
target_compile_options(gprofx_warnings INTERFACE -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor
                       -Wcast-qual -Wformat=2 -Wundef -Wno-missing-field-initializers)
target_include_directories(gprofx_warnings INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
