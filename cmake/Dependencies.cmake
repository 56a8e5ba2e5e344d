# Third-party parts. Static archives are preferred, so that the bundle runs where none of them is installed.
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
gprofx_find_archive(gprofx_sqlite sqlite3.h sqlite3)
target_link_libraries(gprofx_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
gprofx_find_archive(gprofx_libdw elfutils/libdwfl.h dw elf z lzma bz2)
target_link_libraries(gprofx_libdw INTERFACE gprofx_zstd ${CMAKE_DL_LIBS} Threads::Threads)
