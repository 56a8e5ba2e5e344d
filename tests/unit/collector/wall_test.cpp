#include "samplers/collector/drain/wall.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "samplers/collector/drain/thread_waits.h"
#include "samplers/collector/drain/wait_place.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/quality.h"
#include "samplers/wire/machine/machine.h"
#include "tests/unit/collector/fake_region.h"

namespace gprofx {
namespace {

TEST_CASE("What a thread waits in is read from its system call") {
  const auto in = [](int64_t number, const char* arguments) {
    return WaitingInSyscall(std::to_string(number) + arguments);
  };
  CHECK(WaitingInSyscall("running\n") == Waiting::kNot);
  CHECK(in(SYS_clock_nanosleep, " 0x0 0x0 0x7ffd 0x0 0x0 0x0 0x7ffd 0x7f\n") ==
        Waiting::kInterrupts);
  CHECK(in(SYS_ppoll, " 0x1 0x1 0x1\n") == Waiting::kInterrupts);
  // Their transfers end early, or nobody knows what they do.
  for (const int64_t call :
       {SYS_read, SYS_write, SYS_sendfile, SYS_splice, SYS_getrandom, SYS_ioctl, SYS_connect,
        SYS_sendto, SYS_recvfrom, SYS_io_uring_enter}) {
    CHECK(in(call, " 0x3 0x7f 0x100 0x0 0x0 0x0 0x7ffd 0x7f\n") == Waiting::kInterrupts);
  }
  CHECK(in(SYS_wait4, " 0xffffffff\n") == Waiting::kRestarts);
  CHECK(in(SYS_futex, " 0x7f 0x80 0x0 0x0 0x0 0x0\n") == Waiting::kRestarts);
  CHECK(in(SYS_futex, " 0x7f 0x189 0x0 0x7ffe 0x0 0x0\n") ==
        Waiting::kInterrupts);  // with a timeout
  CHECK(in(SYS_futex, "\n") == Waiting::kInterrupts);
  CHECK(WaitingInSyscall("-1 0x7ffd 0x7f\n") == Waiting::kRestarts);
  CHECK(WaitingInSyscall("") == Waiting::kUnknown);
  CHECK(WaitingInSyscall("x") == Waiting::kUnknown);
}

TEST_CASE("Where a call returns to is the last word of what the system says of it") {
  const std::string text = "230 0x0 0x0 0x7ffd 0x0 0x0 0x0 0x7ffd10 0x7f7a61010\n";
  CHECK(ReturnInSyscall(text) == 0x7f7a61010);
  CHECK(ReturnInSyscall(PlaceInSyscall(text)) == 0x7f7a61010);
  CHECK(ReturnInSyscall("running\n") == 0);
  CHECK(ReturnInSyscall("") == 0);
}

TEST_CASE("A sample is one of a wait if its stack ends in that call") {
  test::FakeRegion region;
  region.Begin(100, 1, "/bin/prog", std::string("prog\0", 5));
  const uint32_t module = region.AddModule("/lib/libc.so", 0xab);
  const uint32_t behind = region.AddNode(0, wire::MakeNative(module, 0x61010));
  const uint32_t again = region.AddNode(0, wire::MakeNative(module, 0x61010 - wire::kEnterBytes));
  const uint32_t elsewhere = region.AddNode(0, wire::MakeNative(module, 0x61020));
  const uint32_t python = region.AddNode(behind, wire::MakePython(1, 0x010));
  const uint32_t layer = region.AddNode(behind, wire::MakeLayer(1));
  const auto ends = [&](uint32_t node, const char* place = "0x7ffd10 0x7f7a61010") {
    return EndsIn(region.View(), node, place);
  };
  CHECK(ends(behind));
  CHECK(ends(again));
  CHECK(ends(layer));
  CHECK_FALSE(ends(elsewhere));
  CHECK_FALSE(ends(python));
  CHECK_FALSE(ends(0));
  CHECK_FALSE(ends(behind, ""));  // it ran
  CHECK(ends(region.AddNode(0, wire::MakeAbsolute(0x7f7a61010))));
}

TEST_CASE("Waiting for a core and faults are read from what the system says of a thread") {
  CHECK(ReadyInSchedstat("257223 1800 3\n") == 1800);
  CHECK(ReadyInSchedstat("257223") == std::nullopt);
  CHECK(ReadyInSchedstat("257223 x 3") == std::nullopt);
  CHECK(ReadyInSchedstat("") == std::nullopt);
  const std::string rest = " S 1 2 3 4 -1 4194560 100 200 7 9 11";
  CHECK(FaultsInStat("12 (python)" + rest) == 7);
  CHECK(FaultsInStat("12 (a) b (c 1 2)" + rest) == 7);
  CHECK(FaultsInStat("12 (python) S 1") == std::nullopt);
  CHECK(FaultsInStat("12 python") == std::nullopt);
  CHECK(FaultsInStat("") == std::nullopt);
}

TEST_CASE("Calls that receive all that was asked for are told by their flags") {
  const auto all = [](int64_t number, const char* arguments) {
    return ReceivesAll(std::to_string(number) + arguments);
  };
  CHECK(all(SYS_recvfrom, " 0x3 0x7f 0x1000 0x100 0x0 0x0 0x7ffd 0x7f\n"));
  CHECK(all(SYS_recvmsg, " 0x3 0x7f 0x140 0x0 0x0 0x0 0x7ffd 0x7f\n"));
  CHECK_FALSE(all(SYS_recvfrom, " 0x3 0x7f 0x100 0x0 0x0 0x0 0x7ffd 0x7f\n"));
  CHECK_FALSE(all(SYS_recvmsg, " 0x3 0x100 0x0 0x100 0x0 0x0 0x7ffd 0x7f\n"));
  CHECK_FALSE(all(SYS_read, " 0x3 0x7f 0x100 0x100 0x0 0x0 0x7ffd 0x7f\n"));
  CHECK_FALSE(ReceivesAll("running\n"));
}

TEST_CASE("A read that waits for the first byte of a pipe is told from one of a file") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  const auto reads = [](int64_t call, int fd) {
    char text[64];
    snprintf(text, sizeof text, "%d 0x%x 0x7f 0x100\n", static_cast<int>(call),
             static_cast<unsigned>(fd));
    return ReadsFromPipe(getpid(), getpid(), text);
  };
  CHECK(reads(SYS_read, ends[0]));
  CHECK_FALSE(reads(SYS_write, ends[0]));
  CHECK_FALSE(reads(SYS_read, file));
  CHECK_FALSE(reads(SYS_read, 1'000'000));
  for (const int fd : {ends[0], ends[1], file}) close(fd);
}

TEST_CASE("A wait is known by its place, whatever its arguments are") {
  const std::string first = "230 0x1 0x0 0x7ffc10 0x0 0x0 0x7 0x7ffc00 0x7f3210\n";
  const std::string again = "230 0x1 0x0 0x7ffc20 0x7ffc20 0x0 0x7 0x7ffc00 0x7f3210\n";
  CHECK(PlaceInSyscall(first) == "0x7ffc00 0x7f3210\n");
  CHECK(PlaceInSyscall(first) == PlaceInSyscall(again));
  CHECK(PlaceInSyscall("-1 0x7ffd 0x7f\n") == "0x7ffd 0x7f\n");
  for (const char* none : {"running\n", "", " ", "-1", " 1"}) CHECK(PlaceInSyscall(none).empty());
}

TEST_CASE("Only threads that would not notice are sent a signal") {
  const auto decide = [](const VisitFacts& facts) { return DecideVisit(facts); };
  constexpr int64_t kSecond = 1'000'000'000;
  // One that runs may be in the middle of a transfer.
  for (const Waiting waiting : {Waiting::kNot, Waiting::kUnknown}) {
    CHECK(decide({.waiting = waiting}) == VisitAction::kAwait);
    CHECK(decide({.waiting = waiting, .is_busy = true, .has_stack = true}) == VisitAction::kAwait);
    CHECK(decide({.waiting = waiting, .is_busy = true, .has_stack = true, .unanswered = 9}) ==
          VisitAction::kAwait);
    CHECK(decide({.waiting = waiting, .is_busy = true, .has_stack = true, .pending_ns = kSecond}) ==
          VisitAction::kCountBusy);
    // It was just woken.
    CHECK(decide({.waiting = waiting, .has_stack = true, .is_new_wait = true}) ==
          VisitAction::kCountIdle);
  }
  const auto waits = [&](VisitFacts facts) {
    facts.waiting = Waiting::kRestarts;
    return decide(facts);
  };
  // Once a wait: each signal lets a call wait for all of its time again.
  CHECK(waits({.ran_ns = 5'000'000, .has_stack = true}) == VisitAction::kCountIdle);
  CHECK(waits({.ran_ns = 1000, .has_stack = true}) == VisitAction::kCountIdle);
  CHECK(waits({.ran_ns = 1000}) == VisitAction::kSignal);
  CHECK(waits({.ran_ns = 1000, .unanswered = 9}) == VisitAction::kCountUnseen);
  CHECK(waits({.ran_ns = 1000, .pending_ns = kSecond}) == VisitAction::kCountUnseen);
  // It was sampled at work and waits since: that stack is not the one it waits at.
  CHECK(waits({.ran_ns = 1000, .has_stack = true, .is_new_wait = true}) == VisitAction::kSignal);
  CHECK(waits({.ran_ns = 1000, .has_stack = true, .is_new_wait = true, .unanswered = 9}) ==
        VisitAction::kCountUnseen);
  CHECK(waits({.ran_ns = 1000, .has_stack = true, .is_at_stack = true, .unanswered = 9}) ==
        VisitAction::kCountIdle);
  const auto transfers = [&](VisitFacts facts) {
    facts.waiting = Waiting::kInterrupts;
    return decide(facts);
  };
  for (const int64_t ran : {int64_t{0}, int64_t{1} << 40}) {
    CHECK(transfers({.ran_ns = ran}) == VisitAction::kCountUnseen);
    CHECK(transfers({.ran_ns = ran, .has_stack = true, .is_new_wait = true}) ==
          VisitAction::kCountUnseen);
  }
  CHECK(transfers({.has_stack = true, .is_at_stack = true}) == VisitAction::kCountIdle);
  // Another call of the same place.
  CHECK(transfers(
            {.ran_ns = 1'000'000, .has_stack = true, .is_at_stack = true, .is_new_wait = true}) ==
        VisitAction::kCountUnseen);
}

TEST_CASE("calls that would wait for all of their time again are known") {
  const auto call = [](int number, const std::string& arguments) {
    return std::to_string(number) + " " + arguments + " 0x7ffc0000 0x7f0000\n";
  };
  CHECK(ForgetsTime(call(SYS_nanosleep, "0x1 0x0 0x0 0x0 0x0 0x0")));
  CHECK_FALSE(
      ForgetsTime(call(SYS_nanosleep, "0x1 0x2 0x0 0x0 0x0 0x0")));  // what remains is written
  CHECK(ForgetsTime(call(SYS_clock_nanosleep, "0x1 0x0 0x5 0x0 0x0 0x0")));
  CHECK_FALSE(ForgetsTime(call(SYS_clock_nanosleep, "0x1 0x1 0x5 0x0 0x0 0x0")));  // until a moment
  CHECK(ForgetsTime(call(SYS_epoll_pwait, "0x4 0x5 0x8 0x64 0x0 0x8")));
  CHECK_FALSE(ForgetsTime(call(SYS_epoll_pwait, "0x4 0x5 0x8 0xffffffff 0x0 0x8")));
#ifdef SYS_poll
  CHECK(ForgetsTime(call(SYS_poll, "0x5 0x1 0x64 0x0 0x0 0x0")));
  CHECK_FALSE(ForgetsTime(call(SYS_poll, "0x5 0x1 0xffffffffffffffff 0x0 0x0 0x0")));
#endif
  CHECK(ForgetsTime(call(SYS_recvfrom, "0x3 0x5 0x8 0x0 0x0 0x0")));  // SO_RCVTIMEO
  CHECK_FALSE(ForgetsTime(call(SYS_futex, "0x5 0x80 0x0 0x0 0x0 0x0")));
  for (const char* none : {"", "running\n", "-1 0x1 0x2\n"}) CHECK_FALSE(ForgetsTime(none));
}

TEST_CASE("sets of bits in a status are found by their line, not in a program's name") {
  const char* status = "Name:\tSigBlk:\t7\nSigBlk:\t0000000000000200\nCapEff:\t000001ffffffffff\n";
  CHECK(MaskInStatus(status, "SigBlk") == 0x200);
  CHECK(MaskInStatus(status, "CapEff") == 0x1ffffffffff);
  CHECK(MaskInStatus(status, "CapE") == 0);
  CHECK(MaskInStatus("", "SigBlk") == 0);
}

TEST_CASE("States and clocks of other processes are parsed") {
  CHECK(StateInStat("12 (a b) S 1 2") == 'S');
  CHECK(StateInStat("12 (a) R) T (x) R 1") == 'R');
  CHECK(StateInStat("12 (a)") == 0);
  CHECK(ProgramInStat("12 (a b) S 1 2") == ProgramInStat("12 (c) R 1 2"));
  const auto stat = [](const char* start, const char* stack) {
    std::string text = "12 (a) b) S";
    for (int field = 4; field <= 52; ++field)
      text += std::string(" ") + (field == 22 ? start : field == 28 ? stack : "0");
    return text;
  };
  CHECK(ProgramInStat(stat("7", "8")) == ProgramInStat(stat("7", "8")));
  CHECK(ProgramInStat(stat("7", "8")) != ProgramInStat(stat("6", "8")));  // another process
  CHECK(ProgramInStat(stat("7", "8")) != ProgramInStat(stat("7", "9")));  // after an exec
  CHECK(StateInStat("") == 0);
  CHECK(IsKernelWorker("7 (iou-wrk-5) S 1 7 7 0 -1 4194320 1 2"));
  CHECK_FALSE(IsKernelWorker("7 (iou-wrk-5) S 1 7 7 0 -1 4194560 1 2"));
  CHECK_FALSE(IsKernelWorker("7 (a"));
  CHECK(NumberForItself("Name:\tx\nPid:\t70\nNSpid:\t70\t12\t3\nNSsid:\t1\n") == 3);
  CHECK(NumberForItself("Name:\tx\nNSpid:\t70") == 70);
  CHECK_FALSE(NumberForItself("Name:\tx\nPid:\t70\n").has_value());
  CHECK_FALSE(NumberForItself("\nNSpid:").has_value());
  CHECK(CpuInSchedstat("123456 7 8\n") == 123456);
  CHECK(RunsInSchedstat("123456 7 8\n") == 8);
  CHECK_FALSE(RunsInSchedstat("123456 7").has_value());
  CHECK_FALSE(CpuInSchedstat("").has_value());
}

TEST_CASE("Handler percentiles come from the histogram") {
  AgentCounters all;
  CHECK(HandlerPercentile(all, 0.5) == 0);
  all.handler[wire::HandlerBucket(1000)] = 90;
  all.handler[wire::HandlerBucket(50'000)] = 10;
  CHECK(HandlerPercentile(all, 0.5) == Approx(1000).epsilon(0.15));
  CHECK(HandlerPercentile(all, 0.99) == Approx(50'000).epsilon(0.15));
  all.handler.fill(~uint64_t{0});
  CHECK(HandlerPercentile(all, 0.99) > 0);
}

TEST_CASE("Counters of processes add up and saturate") {
  test::FakeRegion region;
  region.header().counters[wire::kPythonTorn] = 5;
  region.header().counters[wire::kDroppedNs] = ~uint64_t{0};
  AgentCounters all;
  all.Add(region.header());
  all.Add(region.header());
  std::map<std::string, int64_t> quality;
  PublishCounters(all, quality);
  CHECK(quality["python_torn"] == 10);
  CHECK(quality["dropped_ns"] == INT64_MAX);
  CHECK(quality.contains("handler_median_ns"));
}

}  // namespace
}  // namespace gprofx
