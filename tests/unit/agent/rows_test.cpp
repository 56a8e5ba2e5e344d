// Rows of code in this process: made, found again, forgotten with their module.
#include "samplers/agent/stacks/rows.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/unit/agent/test_session.h"

namespace gprofx::agent {
namespace {

struct OwnMemory {
  template <class T>
  bool Read(uint64_t address, T* out) const {
    std::memcpy(out, reinterpret_cast<const void*>(address), sizeof(T));
    return true;
  }
};

bool IsRow(const Row& row) { return row.cfa == CfaRule::kSp || row.cfa == CfaRule::kBp; }

int RowsOfALibrary() {
  TestMemory memory;
  if (!g_session.Join(memory.Path().c_str())) return 2;
  g_modules.Start();
  g_rows.Start();
  void* library = dlopen("libresolv.so.2", RTLD_NOW);
  if (library == nullptr) return 77;
  const auto begin = reinterpret_cast<uint64_t>(dlsym(library, "ns_parse_ttl"));
  if (begin == 0) return 77;
  // One address teaches the page, the others of it use that.
  const auto misses = [] { return g_session.header().counters[wire::kRowCacheMisses].load(); };
  const uint64_t before = misses();
  if (!IsRow(g_rows.Find(begin + 4, false))) return 3;
  for (uint64_t pc = begin + 5; pc < begin + 40; ++pc) {
    const Row row = g_rows.Find(pc, false), again = g_rows.Find(pc, false),
              leaf = g_rows.Find(pc, true);
    CodeRange range;
    const LoadedModule* module = g_modules.Find(pc);
    const Row truth = MakeRow(OwnMemory{}, module->eh_frame_hdr, pc, module->index, &range);
    for (const Row& one : {row, again, leaf}) {
      if (one.Pack() != truth.Pack()) return 4;
    }
  }
  if (misses() - before < 36 || misses() - before > 80)
    return 5;  // each caller once, and some leaves
  if (dlclose(library) != 0) return 6;
  if (dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD) != nullptr) return 77;  // others use it, too
  g_modules.AfterUnload();
  const Row gone = g_rows.Find(begin + 4, false);
  if (gone.cfa != CfaRule::kInvalid || gone.module != kNoModuleIndex) return 7;
  // Loaded again, most often at the same place.
  library = dlopen("libresolv.so.2", RTLD_NOW);
  const auto now = reinterpret_cast<uint64_t>(dlsym(library, "ns_parse_ttl"));
  if (!IsRow(g_rows.Find(now + 8, false)) || !IsRow(g_rows.Find(now + 9, true))) return 8;
  return 0;
}

TEST_CASE("rows that are found by their page are those of the table, and go with their module") {
  const int status = StatusInChild(RowsOfALibrary);
  if (status == 77) {
    WARN("skipped: no libresolv.so.2 that can be unloaded");
    return;
  }
  CHECK(status == 0);
}

}  // namespace
}  // namespace gprofx::agent
