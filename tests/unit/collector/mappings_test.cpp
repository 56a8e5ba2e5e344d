#include "samplers/collector/processes/mappings.h"

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

TEST_CASE("maps: what is executable, names with blanks, lines that are cut") {
  const auto maps = ParseMaps(
      "55d0c0000000-55d0c0001000 r-xp 00012000 fd:01 12 /opt/my prog\n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n"
      "7ffd00000000-7ffc00021000 rw-p 00000000 00:00 0 backwards\n"
      "nonsense\n"
      "7fff00000000-7fff");
  REQUIRE(maps.size() == 3);
  CHECK(maps[0].begin == 0x55d0c0000000);
  CHECK(maps[0].executable);
  CHECK(maps[0].offset == 0x12000);
  CHECK(maps[0].file == "fd:01 12");
  CHECK(maps[0].path == "/opt/my prog");
  CHECK(maps[1].file.empty());
  CHECK(maps[1].path.empty());
  CHECK(!maps[1].executable);
  CHECK(maps[2].path == "[stack]");
  CHECK(MappingOf(maps, 0x55d0c0000fff) == &maps[0]);
  CHECK(MappingOf(maps, 0x55d0c0001000) == nullptr);
  CHECK(MappingOf(maps, 0x1000) == nullptr);
}

TEST_CASE("maps: code that is mapped twice is found by its place in its file") {
  const auto maps = ParseMaps(
      "00400000-00b00000 r-xp 00001000 fe:00 7 /usr/bin/node\n"
      "00c00000-00d00000 r--p 00004000 fe:00 7 /usr/bin/node\n"
      "10000000-10010000 r-xp 00004000 fe:00 8 /usr/bin/other\n"
      "20000000-20010000 r-xp 00004000 fe:00 7 /usr/bin/node\n"
      "30000000-30010000 rwxp 00000000 00:00 0 \n"
      "40000000-40010000 rwxp 00000000 00:00 0 \n");
  CHECK(TwinsOf(maps, 0x20000010) == std::vector<uint64_t>{0x403010});
  CHECK(TwinsOf(maps, 0x403010) == std::vector<uint64_t>{0x20000010});
  CHECK(TwinsOf(maps, 0x400010).empty());    // before what is mapped twice
  CHECK(TwinsOf(maps, 0x10000010).empty());  // another file
  CHECK(TwinsOf(maps, 0x30000010).empty());  // of no file
  CHECK(TwinsOf(maps, 0x50000000).empty());
}

}  // namespace
}  // namespace gprofx
