# `cmake --build build/release --target bundle`: one relocatable tarball that needs nothing of the machine.
#
# gprof-x is static, and in the rest everything but glibc is, so the bundle is the install tree under one folder; the script checks
# that the binaries ask for no other library and for no glibc newer than the one promised in the README.
set(bundle_name gprof-x-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(bundle_binaries 5)  # gprof-x, its helper, its agent, its NVTX and memory sides, and the GPU side where it is built
if(GPROFX_CUDA)
  set(bundle_binaries 6)
endif()
set(bundle_dir ${CMAKE_BINARY_DIR}/bundle)
add_custom_target(bundle
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${bundle_dir}
  COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --prefix ${bundle_dir}/${bundle_name} --strip
  COMMAND ${CMAKE_COMMAND} -DROOT=${bundle_dir}/${bundle_name} -DEXPECTED=${bundle_binaries} -P ${CMAKE_SOURCE_DIR}/cmake/CheckBundle.cmake
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${bundle_dir} -DNAME=${bundle_name} -DSOURCE=${CMAKE_SOURCE_DIR} -DTO=${CMAKE_BINARY_DIR}
          -P ${CMAKE_SOURCE_DIR}/cmake/PackBundle.cmake
  COMMAND ${CMAKE_COMMAND} -E echo "bundle: ${CMAKE_BINARY_DIR}/${bundle_name}.tar.gz"
  VERBATIM)
add_dependencies(bundle gprof-x gprofx-foreign gprofx-agent gprofx-memory gprofx-nvtx)
if(GPROFX_CUDA)
  add_dependencies(bundle gprofx-cuda)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/cmake/containers/Containerfile.ci ${CMAKE_SOURCE_DIR}/cmake/containers/Containerfile.pytorch
        DESTINATION ${CMAKE_INSTALL_DATADIR}/gprof-x)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gprof-x)
