// Maps frames to the rows of gprof-x top. Frames with the same key share a row.
//
// A Python frame has two keys: one for its function and one for its line. A native frame has one
// for its function or, until its name is known, for its library. Each frame is mapped once, and
// again after names have arrived. Inlined functions count for the function that contains them.
// Pure; one thread; grows with the profile.
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

struct FrameKeys {        // the rows to which a frame belongs, in each table; 0 = none
  uint32_t function = 0;  // key of the row of its Python function
  uint32_t line = 0;      // key of the row of its Python line
  uint32_t native = 0;
  bool unnamed = false;  // a name may still arrive
};

struct KeyText {
  TopTable table = TopTable::kFunctions;
  std::string name, file;
  uint32_t line = 0;
};

class FrameKeyTable {
 public:
  // Keys that no frame has: for the interpreter's own code (kPythonCode), and for native code that
  // was not called from Python (kNoPython).
  static constexpr uint32_t kPythonCode = 1, kNoPython = 2;

  FrameKeyTable();

  const FrameKeys& Of(const Profile& profile, FrameId frame);
  const KeyText& Text(uint32_t key) const { return texts_[key]; }
  size_t size() const { return texts_.size(); }

  // NameLookup looks up addresses that are this many bytes apart. If two neighbouring addresses
  // have the same name, all addresses between them get this name. Another function between them
  // would have to begin and end inside of the named one.
  static constexpr uint64_t kGrid = 16;
  // Adds the names of addresses in a module. The addresses need not belong to frames.
  void AddNames(const Profile& profile, ModuleId module, const ModuleNames& names);
  // Records that the names of `frames` were looked up. Frames that still have no name will not get
  // one, so FrameKeys::unnamed becomes false for them.
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
  // By module and address.
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, uint32_t>> names_;
};

}  // namespace gprofx
