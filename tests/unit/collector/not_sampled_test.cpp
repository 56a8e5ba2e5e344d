#include "samplers/collector/processes/not_sampled.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"

namespace gprofx {
namespace {

using wire::NotSampled;

TEST_CASE("Programs without samples in words and numbers") {
  static wire::NotSampledTable table;
  CountNotSampled(table, NotSampled::kCleared, "/bin/sh");
  CountNotSampled(table, NotSampled::kStatic, "/usr/bin/go");
  CountNotSampled(table, NotSampled::kStatic, "busybox");
  CountNotSampled(table, NotSampled::kStatic, "busybox");
  CountNotSampled(table, NotSampled::k32Bit, "x")->fetch_sub(1);  // its exec failed
  const std::vector<Unsampled> read = ReadNotSampled({&table});
  CHECK(NotSampledText(read) == "static (2 busybox, go), cleared environment (sh)");
  std::map<std::string, int64_t> quality = {{"not_sampled_tool", 7}};
  PublishNotSampled(read, quality);
  CHECK(quality == std::map<std::string, int64_t>{
                       {"not_sampled", 4}, {"not_sampled_cleared", 1}, {"not_sampled_static", 3}});
}

TEST_CASE("Many names are cut, the number is not") {
  static wire::NotSampledTable table;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    CountNotSampled(table, NotSampled::kUnreachable, name);
  }
  table.unnamed[static_cast<uint32_t>(NotSampled::kMemory)] = 3;
  CHECK(NotSampledText(ReadNotSampled({&table})) ==
        "cut off from the recorder (a, b, c, d, 2 more), limit on memory (3)");
}

TEST_CASE("A table that a target filled with rubbish is read without harm") {
  static wire::NotSampledTable table;
  std::memset(static_cast<void*>(&table), 0xff, sizeof table);
  CHECK(ReadNotSampled({&table}).empty());
  for (wire::NotSampledRow& row : table.rows) {
    row.state = 2;
    row.reason = 0;
    row.count = INT64_MAX;
    std::memset(row.name, 'x', sizeof row.name);
  }
  const std::vector<Unsampled> read = ReadNotSampled({&table});
  REQUIRE(read.size() == 1);
  CHECK(read[0].name.size() == sizeof table.rows[0].name);
  CHECK(read[0].count > 0);
  static wire::NotSampledTable own;
  const std::vector<Unsampled> others = ReadNotSampled({&own, &table});
  REQUIRE(others.size() == 1);
  CHECK(others[0].count == 10'000);
}

TEST_CASE("Numbers of a thread in its own namespace") {
  CHECK(NumberForItself("Name:\tx\nNSpid:\t4711\t12\nThreads:\t1\n") == 12);
  CHECK_FALSE(NumberForItself("Name:\tx\n").has_value());
  CHECK(HostThreads(getpid()).at(getpid()) == getpid());
  CHECK_FALSE(HostThreads(getpid()).contains(-5));
  CHECK(ParentInStat("12 (a) b) S 34 12 12 0") == 34);
  CHECK(ParentInStat("12 (a) S") == 0);
  CHECK(ParentOf(getpid()) == getppid());
}

}  // namespace
}  // namespace gprofx
