# `cmake --build build/release --target packages`: what a release consists of, in build/release/packages: the tarball, the wheel, a
# .deb, an .rpm where rpmbuild is there, an SBOM in SPDX, and SHA256SUMS of all of them. The same bytes at each build of a commit.
set(CPACK_PACKAGE_NAME gprof-x)
set(CPACK_PACKAGE_VENDOR "the authors of gprof-x")
set(CPACK_PACKAGE_CONTACT "gprof-x <gprof-x@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION "Samples CPUs and NVIDIA GPUs into one call tree: Python lines, native functions, kernels and their lines. The program needs no change.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
# The same files as in the tarball, stripped there.
set(CPACK_INSTALL_CMAKE_PROJECTS "")
set(CPACK_INSTALLED_DIRECTORIES ${bundle_dir}/${bundle_name} usr)
# By themselves packages would be for the machine that builds.
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_RPM_PACKAGE_ARCHITECTURE aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
# gprof-x is static, and what it loads into programs needs their glibc alone (CheckBundle.cmake).
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_COMPRESSION_TYPE xz)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
set(CPACK_RPM_PACKAGE_REQUIRES "glibc >= 2.17")
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none
%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/man /usr/share/man/man1 /usr/share/man/man5 /usr/share/man/man7 /usr/share/doc)
set(CPACK_GENERATOR DEB)
include(CPack)

find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_custom_target(packages
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/make_packages.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${PROJECT_VERSION}
    USES_TERMINAL VERBATIM)
  add_dependencies(packages bundle wheel)
endif()
