#include "samplers/agent/process/process_stat.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "samplers/agent/signals/signal_room.h"

using namespace gprofx::agent;

TEST_CASE("state and start of a process, whatever its name is") {
  const ProcessStat stat = ParseStat(
      "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 10 "
      "18446744073709551615");
  CHECK(stat.state == 'S');
  CHECK(stat.start == 98765);
  CHECK(stat.flags == 4194560);
  CHECK_FALSE(stat.IsKernelWorker());
  CHECK(ParseStat("7 (iou-wrk-5) S 1 7 7 0 -1 16 1 2").IsKernelWorker());
  CHECK(ParseStat("").state == 0);
  CHECK(ParseStat("7 (cut) R 1 7").start == 0);
}

TEST_CASE("a zombie is seen as one, a process that is gone as none") {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info;
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  CHECK(StatOf(child).state == 'Z');
  CHECK(StatOf(child).start >= StatOf(getpid()).start);
  waitpid(child, nullptr, 0);
  CHECK(StatOf(child).state == 0);
}

TEST_CASE("how many signals may wait is told by the status of a process") {
  const SignalRoom room = ParseSignalRoom("Threads:\t1\nSigQ:\t3/95777\nSigPnd:\t0\n");
  CHECK(room.used == 3);
  CHECK(room.limit == 95777);
  for (const char* text : {"", "SigQ:", "SigQ:\t3/95", "SigPnd:\t0\n"})
    CHECK(ParseSignalRoom(text).limit == UINT64_MAX);
}
