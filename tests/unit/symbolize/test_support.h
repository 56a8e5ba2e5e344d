// What the tests of this folder share: temporary folders, commands, and facts about the fixtures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolize/sandbox/module_worker.h"

namespace gprofx {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Keeps what a worker says, in this process.
struct CollectingSink : NamesSink {
  ModuleNames names;
  std::vector<std::string> problems;
  std::vector<Witness> witnesses;

  void Names(const ModuleNames& more) override;
  void Problem(const std::string& text) override { problems.push_back(text); }
  void Witnesses(const std::vector<Witness>& seen) override { witnesses = seen; }
  Result<std::string> DebugFile(const std::string&) override {
    return Error{ErrorId::kCannotRead, "no network"};
  }
};

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);

// Standard output of a shell command; empty if it fails.
std::string OutputOf(const std::string& command);
bool Runs(const std::string& command);
std::string Quoted(const std::string& text);

uint64_t AddressOf(const std::string& elf, const std::string& symbol);  // 0 if there is none
std::string BuildIdOf(const std::string& elf);
uint32_t LineMarked(const std::string& source, const std::string& marker);  // of "// marker"

// The names of one address, as the functions of its frames; empty if it has none.
std::vector<std::string> FunctionsAt(const ModuleNames& names, uint64_t address);

// Options that look at nothing outside `folder`.
SymbolizeOptions LocalOptions(const std::string& debug_folder);

}  // namespace gprofx
