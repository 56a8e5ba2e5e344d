// Runs in signal handlers. Finds the module that contains an address.
//
// Modules are discovered in the handler when a stack first contains them. _dl_find_object (glibc
// 2.35) is lock-free and async-signal-safe, so dlopen need not be wrapped. (A wrapper would change
// whose RPATH is searched.) Where that function does not exist, a snapshot of dl_iterate_phdr is
// used and refreshed at safe points. Modules loaded since the snapshot are found in the loader's
// own list (link_maps.cpp). May be called from many threads at once; nothing is freed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "samplers/agent/unwind/row.h"
#include "samplers/wire/layout.h"

struct dl_phdr_info;

namespace gprofx::agent {

struct LoadedModule {
  std::atomic<uint32_t> state;  // 0 empty, 1 being written, 2 valid, 3 unloaded
  uint16_t index;               // index in the shared memory's module table
  uint64_t begin, end, base;
  uint64_t eh_frame_hdr;  // 0 = none
  uint64_t link_map;
  bool begins_stacks;  // musl, whose code has mostly no unwind rows and begins each thread
};

class Modules {
 public:
  // Makes the table empty. Called at load, and again in a fork child, which has a new region.
  void Start();
  // Returns the module at `pc`, or null if there is none. Adds a new module to the shared memory.
  const LoadedModule* Find(uint64_t pc);
  bool InModule(uint64_t address) const;
  // NumberOf returns the number of a module, below kSlots. It stays the same as long as
  // generation() does. At returns the module with a number, or null if that module is no longer
  // loaded or does not contain `pc`.
  static constexpr uint32_t kSlots = 8192;  // power of two
  const LoadedModule* At(uint32_t number, uint64_t pc) const {
    const LoadedModule& m = table_[number];
    const bool loaded = m.state.load(std::memory_order_acquire) == 2;
    return loaded && pc - m.begin < m.end - m.begin ? &m : nullptr;
  }
  uint32_t NumberOf(const LoadedModule& module) const {
    return static_cast<uint32_t>(&module - table_);
  }
  // Returns the load bias of the module with this index in the shared memory, also after it was
  // unloaded.
  uint64_t BaseOf(uint16_t index) const { return bases_[index]; }
  // Called after dlclose: removes the modules that are no longer mapped.
  void AfterUnload();
  // Takes a new snapshot if modules were loaded or unloaded. Used where _dl_find_object is missing.
  // Do not call from signal handlers.
  void RefreshSnapshot();
  void RefreshIfNeeded() {
    if (!use_find_object_) RefreshSnapshot();
  }
  // Returns a number that changes whenever unwind rows that were read before may have become
  // invalid.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  void DisableFindObject() { use_find_object_ = false; }  // used in tests

 private:
  struct Object {
    uint64_t begin, end, base, eh_frame_hdr, link_map, dynamic;
    const char* path;  // may be null
    uint32_t flags;
  };
  bool FindObject(uint64_t pc, Object* object) const;
  const LoadedModule* Registered(uint64_t pc) const;
  // The next functions find modules that were loaded after the latest snapshot. Defined in
  // link_maps.cpp.
  static uint64_t DebugOf(uint64_t dynamic);
  static bool ReadHeaders(uint64_t base, uint64_t pc, Object* object);
  bool FindLater(uint64_t pc, Object* object);
  void AddToLatest(const Object& object);
  const LoadedModule* Register(const Object& object);
  bool IsRecorded(const Object& object, const LoadedModule& m) const;
  uint16_t RegisterOnWire(const Object& object);
  static int AddToSnapshot(::dl_phdr_info* info, size_t size, void* data);

  struct Snapshot {
    std::atomic<uint32_t> count;
    Object objects[4096];
  };

  LoadedModule* table_ = nullptr;  // kSlots
  // Load biases by index: eight to a cache line, unlike in the module records.
  uint64_t bases_[wire::kMaxModules] = {};
  std::atomic<uint64_t> generation_{1};
  std::atomic<Snapshot*> snapshot_{nullptr};
  unsigned long long snapshot_adds_ = 0, snapshot_subs_ = 0;
  uint64_t debug_ = 0;  // the loader's r_debug; 0 = unknown
  std::atomic<bool> adding_{false};
  Object vdso_{};
  bool use_find_object_ = true;
};

extern Modules g_modules;

}  // namespace gprofx::agent
