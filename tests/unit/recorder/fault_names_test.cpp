// Whether our own code or CUPTI was on the stack of a fault.
#include <catch2/catch.hpp>

#include "samplers/recorder/fault_names.h"

using namespace gprofx;
using namespace gprofx::recorder;

namespace {

Fault FaultIn(const std::vector<std::string>& libraries) {
  Fault fault;
  for (const std::string& name : libraries) {
    fault.stack.push_back({name.empty() ? "" : "/lib/" + name, "", 0x40});
  }
  return fault;
}

constexpr char kAgent[] = "libgprofx-agent.so", kLibc[] = "libc.so.6";

}  // namespace

TEST_CASE("a thread that the agent began is none of its faults") {
  CHECK_FALSE(IsNearUs(FaultIn({"prog", kAgent, kLibc, kLibc})));
  CHECK_FALSE(IsNearUs(FaultIn({kLibc, "prog", kLibc})));
  CHECK_FALSE(IsNearUs(FaultIn({"", "prog"})));
  CHECK_FALSE(IsNearUs(FaultIn({})));
}

TEST_CASE("faults in our code, in what it called and in CUPTI are told") {
  CHECK(IsNearUs(FaultIn({kLibc, kAgent, kAgent, kLibc})));
  CHECK(IsNearUs(FaultIn({kAgent, "prog", kLibc})));
  CHECK(IsNearUs(FaultIn({kLibc, "libgprofx-cuda.so", kLibc})));
  CHECK(IsNearUs(FaultIn({"libcupti.so.13", "libcuda.so.1", "prog", kLibc})));
}

TEST_CASE("frames without a name are places, those in no file addresses") {
  SymbolizeOptions options;
  options.use_cache = false;
  const std::vector<std::string> names = NamesOf(FaultIn({"is_not_there.so", ""}), options);
  CHECK(names == std::vector<std::string>{"is_not_there.so+0x40", "0x40"});
}
