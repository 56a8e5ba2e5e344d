// Where the debug information of a stripped file lies.
//
// Tried in order: FOLDER/.build-id/xx/yyyy.debug; then, by .gnu_debuglink and with its checksum
// compared: beside the file, in .debug beside it, and FOLDER/path/of/the/file. A debug file with
// another build-id is never used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/elf_file.h"

namespace gprofx {

// A place that was looked at, and what was there. An answer computed from these places holds as
// long as they are the same.
struct Witness {
  std::string path;
  int64_t modified_ns = -1;  // -1 = there was no file
  uint64_t size = 0;

  bool operator==(const Witness&) const = default;
};

Witness LookAt(const std::string& path);

bool IsBuildId(const std::string& text);  // even number of lower-case hex digits, 8 to 128 of them

class DebugFileFinder {
 public:
  DebugFileFinder(std::vector<std::string> folders, std::vector<Witness>& witnesses)
      : folders_(std::move(folders)), witnesses_(witnesses) {}

  std::optional<ElfFile> ByBuildId(const std::string& build_id);
  std::optional<ElfFile> ByDebugLink(const ElfFile& file, const std::string& build_id);

 private:
  bool Exists(const std::string& path);

  std::vector<std::string> folders_;
  std::vector<Witness>& witnesses_;
};

}  // namespace gprofx
