# Builds for aarch64 on another machine, with Debian's cross compiler (g++-12-aarch64-linux-gnu) and tests run by qemu-user.
#
# GPROFX_SYSROOT, a variable of CMake or of the environment, is a folder with the libraries of that architecture
# (cmake/make_sysroot.sh makes one). Without it there is the C library alone, which is enough for the agent and its tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPROFX_SYSROOT)
find_program(CMAKE_C_COMPILER NAMES aarch64-linux-gnu-gcc-12 aarch64-linux-gnu-gcc REQUIRED)
find_program(CMAKE_CXX_COMPILER NAMES aarch64-linux-gnu-g++-12 aarch64-linux-gnu-g++ REQUIRED)

set(GPROFX_SYSROOT "$ENV{GPROFX_SYSROOT}" CACHE PATH "Libraries of aarch64")
set(gprofx_root /usr/aarch64-linux-gnu)  # of the cross compiler
if(GPROFX_SYSROOT)
  set(gprofx_root ${GPROFX_SYSROOT})
  set(CMAKE_SYSROOT ${GPROFX_SYSROOT})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# All extensions, pointer authentication among them.
find_program(GPROFX_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(GPROFX_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${GPROFX_QEMU} -cpu max -L ${gprofx_root})
endif()
