// Runs in signal handlers. Finds and caches the unwind row of an address.
//
// Rows are cached for the whole process. Rows of callers are cached by address. Rows of innermost
// frames are cached by code range: their addresses seldom repeat but are in few functions. dlclose
// invalidates all rows. To compute a missing row, the range of the module's search table for the
// page of code around the address is cached too. In a large module that takes a handful of probes
// instead of twenty, and the loader is not called. Entries are written without a lock; a check word
// detects an entry that is half written. Modules that libc unloads without dlclose (iconv's) are
// not invalidated. May be called from many threads at once; nothing is freed.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/process/session.h"
#include "samplers/agent/stacks/modules.h"
#include "samplers/agent/unwind/cfi.h"
#include "samplers/agent/unwind/row.h"
#include "samplers/wire/hash.h"

namespace gprofx::agent {

class UnwindRows {
 public:
  void Start();  // called at load
  // Rows policy of unwind/walk.h. `leaf` is true for the innermost frame.
  Row Find(uint64_t pc, bool leaf) { return leaf ? FindLeaf(pc) : FindCaller(pc); }
  bool Rules(uint64_t pc, uint8_t reg, CfiState* state);
  bool InModule(uint64_t address) const { return g_modules.InModule(address); }
  bool IsProfiler(uint16_t module) const {
    return module != kNoModuleIndex &&
           (g_session.modules()[module].flags & wire::kWireModuleProfiler) != 0;
  }
  // Sets *range to the code of the FDE that covers `pc`. Returns false if there is none, or if `pc`
  // is not in the module with load bias `base`.
  bool FindFunction(uint64_t pc, uint64_t base, CodeRange* range) const;

  // Prefetches the memory in which Find(pc, true) will search.
  void FetchLeaf(uint64_t pc) const;

 private:
  struct CallerRow {
    // pc ^ generation ^ row, which a half-written entry does not match.
    std::atomic<uint64_t> check;
    std::atomic<uint64_t> row;
  };
  struct LeafRow {
    std::atomic<uint64_t> check;  // generation ^ range ^ row, as above
    std::atomic<uint64_t> range;  // first address << 16 | length
    std::atomic<uint64_t> row;
  };
  struct Page {
    std::atomic<uint64_t> check;  // (page and generation) ^ value
    std::atomic<uint64_t> value;  // number of the module, and range of its search table
  };
  // Each address maps to a set of kWays entries. A set fills one cache line (callers) or two
  // (leaves).
  static constexpr uint32_t kWays = 4;
  static constexpr uint32_t kCallerSets = 2048, kLeafSets = 2048, kPages = 4096;  // powers of two
  struct Cache {
    alignas(64) CallerRow callers[kCallerSets][kWays];
    alignas(64) LeafRow leaves[kLeafSets][kWays];
    Page pages[kPages];
    std::atomic<uint32_t> next_way;
  };
  static uint64_t Hash(uint64_t value) { return value * wire::kGolden; }
  static uint32_t CallerSetOf(uint64_t pc) { return (Hash(pc) >> 40) % kCallerSets; }
  static uint32_t LeafSetOf(uint64_t pc) { return (Hash(pc >> 7) >> 40) % kLeafSets; }

  Row FindCaller(uint64_t pc);
  Row FindLeaf(uint64_t pc);
  Row Make(uint64_t pc, bool leaf, CodeRange* range);
  const LoadedModule* KnownPage(uint64_t pc, uint64_t key, FdeRange* fdes) const;
  void RememberPage(uint64_t pc, uint64_t key, const LoadedModule& module, const FdeRange& fdes);
  template <class Entry>
  Entry& Victim(Entry (&ways)[kWays]);

  Cache* cache_ = nullptr;
  uint64_t entry_ = 0, loader_entry_ = 0;  // entry points of the program and its loader
};

extern UnwindRows g_rows;

}  // namespace gprofx::agent
