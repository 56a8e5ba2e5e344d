#include "samplers/collector/processes/jit_names.h"

#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

namespace gprofx {
namespace {

// The map of this very process.
struct Map {
  Map() { std::remove(path.c_str()); }
  ~Map() { std::remove(path.c_str()); }
  void Append(const std::string& text) { std::ofstream(path, std::ios::app) << text; }
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
};

std::string NameAt(const ModuleNames& names, uint64_t address) {
  const auto found = names.find(address);
  return found == names.end() ? "" : found->second.at(0).function;
}

TEST_CASE("Names come as the map grows, and to its end when the process ended") {
  Map map;
  JitNames jit;
  jit.Begin(getpid(), time(nullptr) - 10);
  const std::vector<uint64_t> addresses = {0x18, 0x28, 0x38};
  CHECK_FALSE(jit.Update(addresses));
  CHECK_FALSE(jit.found());
  map.Append("10 10 one\n20 10 tw");
  CHECK_FALSE(jit.Update(addresses));
  CHECK(jit.found());
  map.Append("o\n30 10 three");
  jit.Finish(addresses);
  const ModuleNames names = jit.TakeNames();
  CHECK(NameAt(names, 0x18) == "one");
  CHECK(NameAt(names, 0x28) == "two");
  CHECK(NameAt(names, 0x38) == "three");
  CHECK(jit.path() == map.path);
}

TEST_CASE("A map that appears at the end of the process only is read") {
  Map map;
  JitNames jit;
  jit.Begin(getpid(), time(nullptr) - 10);
  CHECK_FALSE(jit.Update({0x18}));
  map.Append("10 10 one\n");
  jit.Finish({0x18});
  CHECK(NameAt(jit.TakeNames(), 0x18) == "one");
}

TEST_CASE("Code in the place of other code begins a generation") {
  Map map;
  JitNames jit;
  jit.Begin(getpid(), time(nullptr) - 10);
  map.Append("10 10 one\n20 10 two\n");
  CHECK_FALSE(jit.Update({0x18}));
  map.Append("20 10 nobody was here\n");
  CHECK_FALSE(jit.Update({0x18}));
  map.Append("18 4 other\n");
  CHECK(jit.Update({0x18, 0x28}));
  CHECK(NameAt(jit.TakeNames(), 0x18) == "one");
  jit.Finish({0x18});
  CHECK(NameAt(jit.TakeNames(), 0x18) == "other");
}

TEST_CASE("Names outlive the map: removed, or written anew by the next program") {
  Map map;
  JitNames jit;
  jit.Begin(getpid(), time(nullptr) - 10);
  map.Append("10 10 one\n20 10 two\n");
  CHECK_FALSE(jit.Update({0x18}));
  SECTION("removed") {
    std::remove(map.path.c_str());
    jit.Finish({0x18, 0x28});
    const ModuleNames names = jit.TakeNames();
    CHECK(NameAt(names, 0x18) == "one");
    CHECK(NameAt(names, 0x28) == "two");
  }
  SECTION("anew") {
    std::ofstream(map.path) << "0 1 x\n";
    jit.Finish({0x18});
    CHECK(NameAt(jit.TakeNames(), 0x18) == "one");
  }
}

TEST_CASE("The map of an earlier process with the same number names nothing") {
  Map map;
  map.Append("10 10 stale\n");
  JitNames jit;
  jit.Begin(getpid(), time(nullptr) + 100);
  jit.Finish({0x18});
  CHECK_FALSE(jit.found());
  CHECK(jit.TakeNames().empty());
}

}  // namespace
}  // namespace gprofx
