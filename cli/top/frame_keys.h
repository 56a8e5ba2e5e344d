// From frames to the rows of gprof-x top: what two frames share that stand in one row.
//
// A Python frame has a key for its function and one for its line, a native frame one for its
// function, or for its library while it has no name. Each frame is looked at once, and again when
// names came. Inlined functions count for the function that they are in. Pure; one thread; grows
// with the profile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "cli/top/snapshot.h"
#include "core/model/profile.h"
#include "core/model/resolve.h"

namespace gprofx {

struct FrameKeys {        // 0 = none
  uint32_t function = 0;  // of Python
  uint32_t line = 0;      // of Python
  uint32_t native = 0;
  bool unnamed = false;  // names of it may still come
};

struct KeyText {
  TopTable table = TopTable::kFunctions;
  std::string name, file;
  uint32_t line = 0;
};

class FrameKeyTable {
 public:
  // What the interpreter does itself, and machine code that no Python has called.
  static constexpr uint32_t kPythonCode = 1, kNoPython = 2;

  FrameKeyTable();

  const FrameKeys& Of(const Profile& profile, FrameId frame);
  const KeyText& Text(uint32_t key) const { return texts_[key]; }
  size_t size() const { return texts_.size(); }

  // Also of addresses that no frame has: what lies between two neighbours on the grid with one name
  // has that name. Another function would have to begin and end between them, inside of the first.
  static constexpr uint64_t kGrid = 16;
  void AddNames(const Profile& profile, ModuleId module, const ModuleNames& names);
  // Those of them that have no name now will have none.
  void Asked(const Profile& profile, const std::vector<FrameId>& frames);

 private:
  uint32_t Key(TopTable table, std::string name, std::string file, uint32_t line);
  FrameKeys Make(const Profile& profile, const Frame& frame);
  FrameKeys MakeNative(const Profile& profile, const Frame& frame);

  uint32_t NativeKey(ModuleId module, uint64_t address) const;

  std::vector<KeyText> texts_;
  std::map<std::tuple<TopTable, std::string, std::string, uint32_t>, uint32_t> index_;
  std::vector<FrameKeys> keys_;  // by FrameId::index()
  std::vector<bool> known_;
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, uint32_t>> names_;  // module, address
};

}  // namespace gprofx
