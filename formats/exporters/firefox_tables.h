// Builds the tables of one thread of a Firefox profile: the stacks, frames, functions and resources
// that the thread uses. Entries are numbered in order of first use, parents first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/exporters/stacks.h"

namespace gprofx::exporters::firefox {

// The strings of the whole profile. The names of the functions come first, in the order of
// Stacks::functions().
class Strings {
 public:
  explicit Strings(const Stacks& stacks);
  uint32_t Add(std::string_view text);
  void Write(std::string& out) const;  // a JSON array

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint32_t> index_;
};

class Libs {
 public:
  uint32_t Add(std::string_view path);
  std::string_view Path(uint32_t lib) const { return paths_[lib]; }
  void Write(std::string& out) const;

 private:
  std::vector<std::string> paths_;
  std::unordered_map<std::string, uint32_t> index_;
};

// Categories of frames. The values are positions in meta.categories of the profile.
enum Category : uint32_t { kOther, kPython, kNative, kGpu, kWaiting, kCudaCall };
Category CategoryOf(FrameKind kind);
extern const char kCategoriesJson[];

class ThreadTables {
 public:
  ThreadTables(const Stacks& stacks, Strings& strings, Libs& libs);

  // Clears all tables for the next thread.
  void Clear();
  // Returns the position of a stack in this thread's stackTable; adds the stack if it is new.
  // `stack` is a position in Stacks::stacks(). Returns -1 for the root.
  int64_t Stack(uint32_t stack);
  // Appends the tables as members of a JSON object: "stackTable":{...},"frameTable":{...}, and so
  // on.
  void Write(std::string& out);

 private:
  // The stacks, calls or functions that this thread uses, and the positions at which they are
  // written.
  struct Used {
    std::vector<uint32_t> items;
    // place[i] is valid only if round[i] is the number of this thread.
    std::vector<uint32_t> place, round;
    uint32_t Add(uint32_t item, uint32_t now);
    bool Has(uint32_t item, uint32_t now) const { return round[item] == now; }
  };

  void WriteFrames(std::string& out);
  void WriteFunctions(std::string& out);

  const Stacks& stacks_;
  Strings& strings_;
  Libs& libs_;
  uint32_t now_ = 0;
  Used used_stacks_, used_calls_, used_functions_;
  std::vector<uint32_t> path_;
};

// Appends "name":[...] with `count` values; value(i) appends value i.
template <class Value>
void Column(std::string& out, const char* name, size_t count, const Value& value) {
  out += '"';
  out += name;
  out += "\":[";
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    value(i);
  }
  out += "],";
}

}  // namespace gprofx::exporters::firefox
