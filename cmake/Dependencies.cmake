# Third-party parts. Static archives are preferred, so that the bundle runs where none of them is installed.
include(LeaveOut)
find_package(Threads REQUIRED)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.9 REQUIRED)

# gprofx_find_archive(TARGET HEADER ARCHIVE...): an imported target made of static archives, in link order.
function(gprofx_find_archive target header)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  foreach(name IN LISTS ARGN)
    find_library(${target}_${name}_LIBRARY NAMES lib${name}.a ${name} REQUIRED)
    target_link_libraries(${target} INTERFACE ${${target}_${name}_LIBRARY})
  endforeach()
endfunction()

gprofx_find_archive(gprofx_zstd zstd.h zstd)
gprofx_find_archive(gprofx_zlib zlib.h z)
gprofx_find_archive(gprofx_sqlite sqlite3.h sqlite3)
if(gprofx_sqlite_sqlite3_LIBRARY MATCHES "\\.a$" AND CMAKE_OBJCOPY)
  gprofx_leave_out(${gprofx_sqlite_sqlite3_LIBRARY} ${CMAKE_BINARY_DIR}/libsqlite3.a
    acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh)
  add_library(gprofx_left_out_sql STATIC formats/sqlite/left_out_sql.c)
  set_target_properties(gprofx_sqlite PROPERTIES INTERFACE_LINK_LIBRARIES "${CMAKE_BINARY_DIR}/libsqlite3.a;gprofx_left_out_sql")
endif()
target_link_libraries(gprofx_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
gprofx_find_archive(gprofx_libiberty libiberty/demangle.h iberty)
gprofx_find_archive(gprofx_libdw elfutils/libdwfl.h dw elf z lzma bz2)
target_link_libraries(gprofx_libdw INTERFACE gprofx_zstd ${CMAKE_DL_LIBS} Threads::Threads)

# The interactive report. Debian's libncurses-dev has the archives of both libraries.
find_path(GPROFX_CURSES_INCLUDE curses.h)
find_library(GPROFX_CURSES NAMES libncursesw.a ncursesw)
if(GPROFX_CURSES_INCLUDE AND GPROFX_CURSES)
  gprofx_find_archive(gprofx_ncurses curses.h ncursesw tinfo)
else()
  message(STATUS "no ncurses (Debian: libncurses-dev): gprof-x is built without report -i and the screen of top")
endif()

# The tests are C++ by Catch2 for the greater part: without it all of them are left out, and gprof-x is built.
if(GPROFX_BUILD_TESTS)
  find_package(Catch2 2.13 QUIET)
  if(NOT Catch2_FOUND)
    message(STATUS "no Catch2 2.13 (Debian: catch2): gprof-x is built without its tests")
    set(GPROFX_BUILD_TESTS OFF)
  endif()
endif()

# Headers of CUDA and CUPTI: a toolkit, or the Python wheels nvidia-cuda-cupti and nvidia-cuda-runtime. Without them gprof-x
# is built without its GPU side.
file(GLOB gprofx_wheel_headers LIST_DIRECTORIES true
  /usr/lib/python3*/*-packages/nvidia/cu*/include /usr/local/lib/python3*/*-packages/nvidia/cu*/include
  $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia/cu*/include)
find_path(GPROFX_CUPTI_INCLUDE cupti_pcsampling.h
  HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} PATHS /usr/local/cuda /usr/local/cuda/extras/CUPTI ${gprofx_wheel_headers}
  PATH_SUFFIXES include extras/CUPTI/include CMAKE_FIND_ROOT_PATH_BOTH)
find_path(GPROFX_CUDA_INCLUDE cuda.h
  HINTS ${GPROFX_CUPTI_INCLUDE} $ENV{CUDA_HOME} $ENV{CUDA_PATH} PATHS /usr/local/cuda ${gprofx_wheel_headers}
  PATH_SUFFIXES include CMAKE_FIND_ROOT_PATH_BOTH)
option(GPROFX_CUDA "Build the GPU side" ON)
if(GPROFX_CUDA AND GPROFX_CUPTI_INCLUDE AND GPROFX_CUDA_INCLUDE)
  add_library(gprofx_cuda_headers INTERFACE)
  target_include_directories(gprofx_cuda_headers SYSTEM INTERFACE ${GPROFX_CUPTI_INCLUDE} ${GPROFX_CUDA_INCLUDE})
else()
  set(GPROFX_CUDA OFF)
  message(STATUS "no headers of CUDA and CUPTI: gprof-x is built without its GPU side")
endif()

# A static C library for gprof-x itself. Sanitizers work in dynamic programs only.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
check_cxx_source_compiles("#include <cmath>\n#include <cstdlib>\nint main(int n, char**) { return std::pow(n, 0.5) < std::atof(\"1\"); }"
                          GPROFX_CAN_LINK_STATICALLY)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
# 320 KB of addresses to correct at its start are 20 KB where linker and C library both know how to pack them (2.38 and 2.36); a library
# that does not would leave them as they are, so the answer is asked of a program that runs.
if(GPROFX_CAN_LINK_STATICALLY AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie -Wl,-z,pack-relative-relocs)
  check_cxx_source_runs("const char* const words[] = {\"a\", \"b\"}; const char* const* volatile all = words;
                         int main() { return all[1][0] != 'b'; }" GPROFX_CAN_PACK_RELOCATIONS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
set(GPROFX_STATIC OFF)
if(GPROFX_CAN_LINK_STATICALLY AND NOT GPROFX_SANITIZE)
  set(GPROFX_STATIC ON)
elseif(NOT GPROFX_SANITIZE)
  message(STATUS "no static C library (libc.a): gprof-x will run where glibc is as new as here only")
endif()
