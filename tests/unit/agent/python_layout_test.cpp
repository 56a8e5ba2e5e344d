// Offsets of real interpreters, as they publish them (tests/data/python: the begin of _PyRuntime of
// Debian's builds), against those that their headers give.
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "samplers/agent/python/layout.h"

using namespace gprofx::agent;

namespace {

std::vector<char> Published(const char* version) {
  std::ifstream file(std::string(GPROFX_SOURCE_DIR "/tests/data/python/debug_offsets_") + version,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

PyLayout Layout(const std::vector<char>& bytes) {
  return LayoutFromDebugOffsets(reinterpret_cast<uint64_t>(bytes.data()));
}

}  // namespace

TEST_CASE("what 3.14.8 and 3.15.0 publish is read as their headers say") {
  for (const char* version : {"3.14.8", "3.15.0"}) {
    const std::vector<char> bytes = Published(version);
    REQUIRE(bytes.size() >= 760);
    const PyLayout l = Layout(bytes);
    REQUIRE(l.valid());
    CHECK(l.minor == (bytes.size() == 760 ? 14 : 15));
    CHECK(!l.free_threaded);
    CHECK(l.ts_frame == 72);
    CHECK(l.ts_status == 32);
    CHECK(l.f_code == 0);
    CHECK(l.f_back == 8);
    CHECK(l.f_instruction == 56);
    CHECK(l.f_owner == 74);
    CHECK(l.f_locals == 80);
    CHECK(l.co_filename == 112);
    CHECK(l.co_name == 128);
    CHECK(l.co_table == 136);
    CHECK(l.co_first_line == 68);
    CHECK(l.co_bytecode == 208);
    CHECK(l.ob_type == 8);
    CHECK(l.bytes_size == 16);
    CHECK(l.bytes_data == 32);
    CHECK(l.str_length == 16);
    CHECK(l.str_state == 32);
    CHECK(l.str_ascii_data == 40);
    CHECK(l.str_wide_data == 56);
    CHECK(!l.str_wide_state);
  }
}

TEST_CASE("a candidate of 3.14 and a later version are not guessed") {
  for (const uint64_t version : {0x030e00c3u, 0x031000f0u}) {
    std::vector<char> bytes = Published("3.14.8");
    std::memcpy(bytes.data() + 8, &version, sizeof version);
    CHECK(!Layout(bytes).valid());
  }
}
