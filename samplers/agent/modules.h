// Signal path. Which module an address lies in, and the unwind row of an address.
//
// Modules are discovered by the handler itself when first met: _dl_find_object (glibc 2.35) is
// lock-free and async-signal-safe, so no wrapper of dlopen is needed (a wrapper would change whose
// RPATH is searched). Where it does not exist, a snapshot of dl_iterate_phdr serves, refreshed at
// safe points; what was loaded since is found in the loader's own list (link_maps.cpp). Rows are cached process-wide by address; dlclose invalidates all rows. Safe from
// many threads; nothing is freed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "samplers/agent/unwind/cfi.h"
#include "samplers/agent/unwind/row.h"
#include "samplers/wire/layout.h"

struct dl_phdr_info;

namespace gprofx::agent {

struct LoadedModule {
  std::atomic<uint32_t> state;  // 0 empty, 1 being written, 2 valid, 3 unloaded
  uint16_t index;               // on the wire
  uint64_t begin, end, base;
  uint64_t eh_frame_hdr;  // 0 = none
  uint64_t link_map;
  bool begins_stacks;  // musl: most of it has no unwind rows
};

class Modules {
 public:
  // At load, and again in a fork child (which has a new region on the wire).
  void Start();
  // The module at `pc`, registered on the wire when new; null = none.
  const LoadedModule* Find(uint64_t pc);
  // Rows policy of unwind/walk.h.
  // `leaf`: the innermost frame. Its address hardly repeats, but lies in few functions: it has a
  // cache by range of code.
  Row FindRow(uint64_t pc, bool leaf) { return leaf ? FindLeafRow(pc) : FindCallerRow(pc); }
  bool FindRules(uint64_t pc, uint8_t reg, CfiState* state);
  // The piece of code around `pc` that has an FDE of its own, if its module is at this base.
  bool FindFunction(uint64_t pc, uint64_t base, CodeRange* range) const;
  bool InModule(uint64_t address) const;
  // Where the module with this index on the wire is or was loaded.
  uint64_t BaseOf(uint16_t index) const { return bases_[index]; }
  // After dlclose: forgets what is no longer mapped.
  void AfterUnload();
  // Where _dl_find_object is missing: takes a new snapshot if modules came or went. Not for
  // handlers.
  void RefreshSnapshot();
  void RefreshIfNeeded() {
    if (!use_find_object_) RefreshSnapshot();
  }
  // Changes whenever unwind rows of before may no longer hold.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  void DisableFindObject() { use_find_object_ = false; }  // for tests of the fallback

 private:
  struct Object {
    uint64_t begin, end, base, eh_frame_hdr, link_map, dynamic;
    const char* path;  // may be null
    uint32_t flags;
  };
  bool FindObject(uint64_t pc, Object* object) const;
  const LoadedModule* Registered(uint64_t pc) const;
  // link_maps.cpp: modules that came after the latest snapshot.
  static uint64_t DebugOf(uint64_t dynamic);
  static bool ReadHeaders(uint64_t base, uint64_t pc, Object* object);
  bool FindLater(uint64_t pc, Object* object);
  void AddToLatest(const Object& object);
  const LoadedModule* Register(const Object& object);
  bool IsRecorded(const Object& object, const LoadedModule& m) const;
  uint16_t RegisterOnWire(const Object& object);
  static int AddToSnapshot(::dl_phdr_info* info, size_t size, void* data);

  static constexpr uint32_t kSlots = 8192;  // power of two
  struct Snapshot {
    std::atomic<uint32_t> count;
    Object objects[4096];
  };

  LoadedModule* table_ = nullptr;  // kSlots
  Row FindCallerRow(uint64_t pc);
  Row FindLeafRow(uint64_t pc);
  Row ComputeRow(uint64_t pc, bool leaf, CodeRange* range);
  // Entries are written without a lock: the check word tells a torn one.
  struct CallerRow {
    std::atomic<uint64_t> check;  // pc and generation ^ row
    std::atomic<uint64_t> row;
  };
  struct LeafRow {
    std::atomic<uint64_t> check;  // generation ^ range ^ row
    std::atomic<uint64_t> range;  // first address << 16 | length
    std::atomic<uint64_t> row;
  };
  // An address has a set, whose ways are in one cache line (callers) or two.
  static constexpr uint32_t kWays = 4;
  static constexpr uint32_t kCallerSets = 2048, kLeafSets = 512;  // powers of two
  struct RowCache {
    alignas(64) CallerRow callers[kCallerSets][kWays];
    alignas(64) LeafRow leaves[kLeafSets][kWays];
    std::atomic<uint32_t> next_way;
  };
  template <class Entry>
  Entry& Victim(Entry (&ways)[kWays]);
  RowCache* rows_ = nullptr;
  uint64_t bases_[wire::kMaxModules] = {};  // eight to a cache line, which records are not
  std::atomic<uint64_t> generation_{1};
  std::atomic<Snapshot*> snapshot_{nullptr};
  unsigned long long snapshot_adds_ = 0, snapshot_subs_ = 0;
  uint64_t debug_ = 0;  // the loader's r_debug; 0 = not known
  std::atomic<bool> adding_{false};
  Object vdso_{};
  uint64_t entry_ = 0;  // where the program begins
  bool use_find_object_ = true;
};

extern Modules g_modules;

struct ProcessRows {  // g_modules as the Rows policy of the walker
  Row Find(uint64_t pc, bool leaf) { return g_modules.FindRow(pc, leaf); }
  bool Rules(uint64_t pc, uint8_t reg, CfiState* state) {
    return g_modules.FindRules(pc, reg, state);
  }
  bool InModule(uint64_t address) const { return g_modules.InModule(address); }
};

}  // namespace gprofx::agent
