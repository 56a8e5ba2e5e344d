// How a process ended by a fault, read from what its agent noted.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>

#include "samplers/collector/processes/faults.h"
#include "tests/unit/collector/fake_region.h"

using namespace gprofx;

namespace {

struct Noted {
  test::FakeRegion region;
  wire::FaultNote& note = region.header().fault;

  Noted() {
    region.Begin(100, 1, "/bin/prog", "prog");
    region.AddModule("/lib/liba.so", 0xaa);
    note.signal = SIGSEGV;
    note.code = SEGV_MAPERR;
    note.address = 0x18;
    std::strcpy(note.thread, "worker");
    note.stack[0] = wire::MakeNative(0, 0x40);
    note.stack[1] = wire::MakeAbsolute(0x7f0000000123);  // in liba, but noted without a walk
    note.stack[2] = wire::MakeAbsolute(0x1000);
    note.frames = 3;
  }
  std::optional<Fault> Read() { return ReadFault(region.View()); }
};

}  // namespace

TEST_CASE("a fault that was noted has its signal, thread and stack") {
  Noted noted;
  const std::optional<Fault> fault = noted.Read();
  REQUIRE(fault);
  CHECK(fault->signal == SIGSEGV);
  CHECK(fault->address == 0x18);
  CHECK(fault->thread == "worker");
  REQUIRE(fault->stack.size() == 3);
  CHECK(fault->stack[0].module == "/lib/liba.so");
  CHECK(fault->stack[0].address == 0x40);
  CHECK(fault->stack[1].module == "/lib/liba.so");
  CHECK(fault->stack[1].address == 0x123);
  CHECK(fault->stack[2].module == "");
  CHECK(fault->stack[2].address == 0x1000);
}

TEST_CASE("without a note there is no fault, whatever else is there") {
  Noted noted;
  noted.note.frames = 0;
  CHECK_FALSE(noted.Read());
}

TEST_CASE("an address that is none is not told") {
  Noted noted;
  noted.note.code = SI_KERNEL;
  CHECK_FALSE(noted.Read()->address);
}

TEST_CASE("whatever a target wrote into its note is bounded") {
  Noted noted;
  noted.note.frames = 4'000'000'000;
  noted.note.signal = -7;
  std::memset(noted.note.thread, 'x', sizeof noted.note.thread);
  for (uint64_t& frame : noted.note.stack) frame = ~uint64_t{0};
  const std::optional<Fault> fault = noted.Read();
  REQUIRE(fault);
  CHECK(fault->stack.size() == wire::kFaultFrames);
  CHECK(fault->thread.size() == sizeof noted.note.thread);
  CHECK(fault->signal == SIGSEGV);
}
