#include "symbolize/elf/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "test_support.h"

namespace gprofx {
namespace {

PerfMap Parse(std::string_view text) {
  PerfMap map;
  map.Feed(text);
  map.Finish();
  return map;
}

TEST_CASE("a perf map names the addresses of its ranges only") {
  const PerfMap map = Parse("7f0010 20 py::f:/a b.py\n0x7f0100 0x10 second\r\n");
  CHECK(map.Find(0x7f000f).empty());
  CHECK(map.Find(0x7f0010) == "py::f:/a b.py");
  CHECK(map.Find(0x7f002f) == "py::f:/a b.py");
  CHECK(map.Find(0x7f0030).empty());
  CHECK(map.Find(0x7f010f) == "second");
  CHECK(map.skipped_lines() == 0);
}

TEST_CASE("the later of two overlapping entries wins") {
  const PerfMap map = Parse("100 100 old\n140 20 new\n1f0 20 newer\n");
  CHECK(map.Find(0x13f) == "old");
  CHECK(map.Find(0x140) == "new");
  CHECK(map.Find(0x15f) == "new");
  CHECK(map.Find(0x160) == "old");
  CHECK(map.Find(0x1ef) == "old");
  CHECK(map.Find(0x1f0) == "newer");
  CHECK(map.Find(0x20f) == "newer");
  CHECK(map.Find(0x210).empty());
  CHECK(Parse("140 20 new\n100 100 later\n").Find(0x150) == "later");
}

TEST_CASE("lines that do not parse are skipped and counted") {
  const PerfMap map =
      Parse("zz 10 a\n10\n10 5\n10 0 empty\nffffffffffffffff 10 wraps\n20 8 good\n30 8 last");
  CHECK(map.skipped_lines() == 5);
  CHECK(map.Find(0x24) == "good");
  CHECK(map.Find(0x30) == "last");
}

TEST_CASE("every address agrees with the obvious slow answer") {
  std::string text;
  struct Entry {
    uint64_t start, size;
    std::string name;
  };
  std::vector<Entry> entries;
  uint64_t seed = 12345;
  const auto next = [&seed](uint64_t below) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (seed >> 33) % below;
  };
  for (int i = 0; i < 300; i++) {
    entries.push_back({next(2000), 1 + next(80), "f" + std::to_string(i)});
    char line[64];
    std::snprintf(line, sizeof(line), "%llx %llx f%d\n",
                  static_cast<unsigned long long>(entries.back().start),
                  static_cast<unsigned long long>(entries.back().size), i);
    text += line;
  }
  const PerfMap map = Parse(text);
  for (uint64_t address = 0; address < 2100; address++) {
    std::string expected;
    for (const Entry& entry : entries) {
      if (address >= entry.start && address < entry.start + entry.size) expected = entry.name;
    }
    REQUIRE(map.Find(address) == expected);
  }
}

TEST_CASE("a map may come in pieces of any size") {
  const std::string text = "10 10 one\n18 10 two\n0 8 three\n";
  for (size_t size = 1; size < text.size(); ++size) {
    PerfMap map;
    for (size_t at = 0; at < text.size(); at += size) map.Feed(text.substr(at, size));
    CHECK(map.Find(0x10) == "one");
    CHECK(map.Find(0x18) == "two");
    CHECK(map.Find(0x7) == "three");
  }
  // The last line may still be written.
  PerfMap map;
  map.Feed("10 10 one\n20 10 tw");
  CHECK(map.Find(0x20).empty());
  map.Feed("o\n");
  CHECK(map.Find(0x20) == "two");
}

TEST_CASE("it is told when code takes the place of other code") {
  PerfMap map;
  CHECK_FALSE(map.Feed("10 10 one\n20 10 two\n"));
  CHECK_FALSE(map.Feed("10 10 one\n"));
  CHECK(map.Feed("18 4 three\n"));
  CHECK(map.Find(0x17) == "one");
  CHECK(map.Find(0x1b) == "three");
  CHECK(map.Find(0x1c) == "one");
  CHECK_FALSE(map.Feed("30 10 four\n"));
}

TEST_CASE("what a map may make us keep is bounded") {
  PerfMap map;
  map.Feed("10 10 " + std::string(10000, 'n') + "\n");
  CHECK(map.Find(0x10).size() == PerfMap::kLongestName);
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) map.Feed(megabyte);  // one line without an end
  map.Feed("\n20 10 next\n");
  CHECK(map.skipped_lines() == 1);
  CHECK(map.Find(0x20) == "next");
}

TEST_CASE("perf_map_of_other_user_refused") {
  const TempFolder folder;
  const std::string path = folder / "perf-1.map";
  WriteFile(path, "10 10 f\n");
  const auto open = [](const std::string& name, uid_t owner = geteuid()) {
    return OpenPerfMap(AT_FDCWD, name, owner);
  };
  CHECK(open(path).ok());
  CHECK_FALSE(open(folder / "missing").ok());
  REQUIRE(symlink(path.c_str(), (folder / "link").c_str()) == 0);
  CHECK_FALSE(open(folder / "link").ok());
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_FALSE(open(folder / "pipe").ok());
  // A process of a user can mount a file of ours, or of root, over the name of its map.
  CHECK_FALSE(open(path, geteuid() + 1).ok());
  if (geteuid() != 0) return;  // only root can give files away
  REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
  const auto foreign = open(path);
  REQUIRE_FALSE(foreign.ok());
  CHECK(foreign.error().Text().find("another user") != std::string::npos);
  CHECK(open(path, 65534).ok());  // that user runs the process
}

}  // namespace
}  // namespace gprofx
