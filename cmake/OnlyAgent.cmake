# GPROFX_ONLY_AGENT: what lives in programs and its tests, for a processor whose libraries are not there. Catch2 is one header, which is
# taken from the machine that builds, alone of its folder.
find_package(Threads REQUIRED)
find_path(GPROFX_CATCH2_INCLUDE catch2/catch.hpp REQUIRED NO_CMAKE_FIND_ROOT_PATH)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${GPROFX_CATCH2_INCLUDE}/catch2 ${CMAKE_BINARY_DIR}/include/catch2 SYMBOLIC)
add_library(Catch2::Catch2 INTERFACE IMPORTED GLOBAL)
set_target_properties(Catch2::Catch2 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/include)

enable_testing()
add_subdirectory(samplers)
add_subdirectory(tests)
