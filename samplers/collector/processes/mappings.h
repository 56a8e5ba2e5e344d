// Parses the mappings of a process from the text of /proc/PID/maps. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

struct Mapping {
  uint64_t begin = 0, end = 0;
  uint64_t offset = 0;  // offset of `begin` in the file
  bool executable = false;
  std::string file;  // device and inode, which identify the file; "" if there is no file
  std::string path;  // such as "[stack]" or "[vdso]"; "" if there is none
};

std::vector<Mapping> ParseMaps(std::string_view text);

// Returns the mapping that contains `address`, or null if there is none. `mappings` must be sorted
// by address.
const Mapping* MappingOf(std::span<const Mapping> mappings, uint64_t address);

// Returns other addresses of code at which the process has mapped the same byte of the same file as
// at `address`. Returns only a few, even if there are more.
std::vector<uint64_t> TwinsOf(std::span<const Mapping> mappings, uint64_t address);

}  // namespace gprofx
