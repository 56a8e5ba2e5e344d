#include "samplers/cuda/hooks/driver_functions.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "samplers/cuda/state.h"

using namespace gprofx;
using namespace gprofx::cuda;

namespace {

int Theirs() { return 1; }
int Ours() { return 2; }

using Function = int (*)();
Function volatile g_kept = nullptr;       // as a library keeps what it was given
Function volatile g_kept_again = Theirs;  // ... in data that the file has
uint64_t volatile g_odd[2] = {};          // a number that is no pointer to it
const Function kFixed = Theirs;           // read-only once it is loaded
const Function* volatile g_fixed = &kFixed;

bool g_refuse = false;
bool Copy(uint64_t from, void* to, uint64_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return true;
}
bool Replace(uint64_t address, uint64_t from, uint64_t to) {
  auto* word = reinterpret_cast<uint64_t*>(address);
  if (g_refuse || *word != from) return false;
  *word = to;
  return true;
}

// The agent of a process, as far as it is asked.
struct Agent {
  wire::AgentEntry entry{};
  const wire::AgentEntry* before = g_state.agent;
  Agent() {
    entry.copy = Copy;
    entry.replace = Replace;
    g_state.agent = &entry;
  }
  ~Agent() { g_state.agent = before; }
};

}  // namespace

TEST_CASE("pointers that a library keeps are replaced, and nothing else") {
  const Agent agent;
  g_kept = Theirs;
  const auto theirs = reinterpret_cast<uint64_t>(&Theirs);
  g_odd[0] = theirs << 8;
  g_odd[1] = theirs >> 56;
  const Replacement what{theirs, reinterpret_cast<uint64_t>(&Ours)};
  const Replacement all[] = {what};
  g_refuse = true;
  CHECK(ReplacePointers(all) == 0);
  CHECK(g_kept() == 1);
  g_refuse = false;
  CHECK(ReplacePointers(all) >= 2);
  CHECK(g_kept() == 2);
  CHECK(g_kept_again() == 2);
  CHECK((*g_fixed)() == 1);
  CHECK(g_odd[0] == theirs << 8);
  CHECK(g_odd[1] == theirs >> 56);
  CHECK(ReplacePointers(all) == 0);
}

TEST_CASE("libraries that come and go are noticed") {
  const uint64_t before = LibraryChanges();
  CHECK(before != 0);
  CHECK(LibraryChanges() == before);
}

TEST_CASE("without a driver there are no functions of it") { CHECK(FindDriverFunctions().empty()); }
