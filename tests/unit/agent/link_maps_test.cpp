// Modules loaded after the snapshot, where the C library has no _dl_find_object.
#include <dlfcn.h>
#include <link.h>

#include <catch2/catch.hpp>

#include "samplers/agent/stacks/modules.h"
#include "tests/unit/agent/test_session.h"

namespace gprofx::agent {
namespace {

int ModuleOfLater() {
  TestMemory memory;
  if (!g_session.Join(memory.Path().c_str())) return 2;
  g_modules.DisableFindObject();
  g_modules.Start();
  const auto* map = static_cast<const link_map*>(dlopen("libresolv.so.2", RTLD_NOW));
  if (map == nullptr) return 77;
  const auto pc = static_cast<uint64_t>(map->l_addr) + 0x40;
  if (g_modules.InModule(pc)) return 3;  // the snapshot is older: the test would prove nothing
  const LoadedModule* found = g_modules.Find(pc);
  if (found == nullptr) return 4;
  if (found->base != map->l_addr || found->eh_frame_hdr == 0 || pc >= found->end) return 5;
  if (!g_modules.InModule(pc)) return 6;  // it is in the snapshot from now on
  if (g_modules.Find(4096) != nullptr || g_modules.Find(~uint64_t{0} >> 17) != nullptr) return 7;
  return 0;
}

TEST_CASE("A module that was loaded after the snapshot is found in the loader's list") {
  const int status = StatusInChild(ModuleOfLater);
  if (status == 77) {
    WARN("skipped: no libresolv.so.2");
    return;
  }
  CHECK(status == 0);
}

}  // namespace
}  // namespace gprofx::agent
