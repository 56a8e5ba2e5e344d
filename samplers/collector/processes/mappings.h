// The mappings of a process, from the text of /proc/PID/maps. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

struct Mapping {
  uint64_t begin = 0, end = 0;
  uint64_t offset = 0;  // of `begin` in the file
  bool executable = false;
  std::string file;  // device and inode, which identify the file; "" = anonymous
  std::string path;  // "" = anonymous; "[stack]", "[vdso]"
};

std::vector<Mapping> ParseMaps(std::string_view text);

// Returns the mapping that contains `address`; null: there is none. `mappings` must be in order.
const Mapping* MappingOf(std::span<const Mapping> mappings, uint64_t address);

// Returns the other code addresses, at most a few, at which the process has the same byte of the
// same file mapped.
std::vector<uint64_t> TwinsOf(std::span<const Mapping> mappings, uint64_t address);

}  // namespace gprofx
