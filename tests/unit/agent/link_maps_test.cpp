// Modules loaded after the snapshot, where the C library has no _dl_find_object.
#include <dlfcn.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "samplers/agent/modules.h"
#include "tests/unit/agent/test_session.h"

namespace gprofx::agent {
namespace {

TEST_CASE("A module that was loaded after the snapshot is found in the loader's list") {
  const pid_t child = fork();  // the choice is for the life of a process
  if (child == 0) {
    TestMemory memory;
    if (!g_session.Join(memory.Path().c_str())) _exit(2);
    g_modules.DisableFindObject();
    g_modules.Start();
    const auto* map = static_cast<const link_map*>(dlopen("libresolv.so.2", RTLD_NOW));
    if (map == nullptr) _exit(77);
    const auto pc = static_cast<uint64_t>(map->l_addr) + 0x40;
    if (g_modules.InModule(pc)) _exit(3);  // the snapshot is older: the test would prove nothing
    const LoadedModule* found = g_modules.Find(pc);
    if (found == nullptr) _exit(4);
    if (found->base != map->l_addr || found->eh_frame_hdr == 0 || pc >= found->end) _exit(5);
    if (!g_modules.InModule(pc)) _exit(6);  // it is in the snapshot from now on
    if (g_modules.Find(4096) != nullptr || g_modules.Find(~uint64_t{0} >> 17) != nullptr) _exit(7);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    WARN("skipped: no libresolv.so.2");
    return;
  }
  CHECK(status == 0);
}

}  // namespace
}  // namespace gprofx::agent
