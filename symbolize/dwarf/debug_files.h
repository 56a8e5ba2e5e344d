// Finds the file with the debug information of a stripped file (the module).
//
// Tries these paths in order, where FOLDER is each of SymbolizeOptions::debug_folders:
//  1. FOLDER/.build-id/xx/yyyy.debug, by the build-id.
//  2. The file that .gnu_debuglink names, if its checksum matches: next to the module, in .debug
//     next to it, and in FOLDER/path/of/the/module.
//
// A debug file with another build-id is never used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/byte_reader.h"
#include "symbolize/elf/elf_file.h"

namespace gprofx {

// The state of a file when its path was checked. Names are valid as long as all files that were
// checked to find them are unchanged.
struct Witness {
  std::string path;
  int64_t modified_ns = -1;  // -1 = there was no file
  // Change time of the inode, as in stat(2). The owner of a file can set its modification time, but
  // not its change time.
  int64_t changed_ns = 0;
  uint64_t size = 0, device = 0, inode = 0;

  bool operator==(const Witness&) const = default;
};

Witness LookAt(const std::string& path);

// Serialize and parse a Witness, for the cache and for the socket of the sandbox.
void PutWitness(std::string& to, const Witness& witness);
Witness TakeWitness(ByteReader& from);  // from untrusted bytes: check from.ok() afterwards

// True for 8 to 128 lower-case hex digits, an even number of them.
bool IsBuildId(const std::string& text);

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
