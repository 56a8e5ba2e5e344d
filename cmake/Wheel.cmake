# `cmake --build build/release --target wheel`: the bundle and the Python package as one file for
# pip; needs Python 3 and nothing of its packages.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_custom_target(wheel
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/make_wheel.py ${bundle_dir}/${bundle_name}
            ${CMAKE_SOURCE_DIR}/formats/python/gprof_x ${PROJECT_VERSION} ${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_BINARY_DIR}
    VERBATIM)
  add_dependencies(wheel bundle)
endif()
