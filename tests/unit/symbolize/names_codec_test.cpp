#include "symbolize/names/names_codec.h"

#include <catch2/catch.hpp>

#include "core/base/byte_reader.h"

namespace gprofx {
namespace {

ModuleNames Example() {
  ModuleNames names;
  names[0x10] = {{"outer", "/a.cc", 7, "/a.cc", 3}, {"inner", "/b.h", 9, "/b.h", 8}};
  names[0x20] = {};
  names[uint64_t{1} << 63] = {{"outer", "", 0, "", 0}};
  return names;
}

bool Same(const ModuleNames& a, const ModuleNames& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [address, frames] : a) {
    const auto other = b.find(address);
    if (other == b.end() || other->second.size() != frames.size()) return false;
    for (size_t i = 0; i < frames.size(); i++) {
      const SourceFrame &x = frames[i], &y = other->second[i];
      if (x.function != y.function || x.file != y.file || x.line != y.line) return false;
      if (x.decl_file != y.decl_file || x.decl_line != y.decl_line) return false;
    }
  }
  return true;
}

TEST_CASE("names survive encoding") {
  ModuleNames back;
  REQUIRE(DecodeNames(EncodeNames(Example()), back));
  CHECK(Same(Example(), back));
  ModuleNames none;
  REQUIRE(DecodeNames(EncodeNames({}), none));
  CHECK(none.empty());
}

TEST_CASE("a few bytes that stand for very many are refused") {
  const auto repeated = [](uint32_t frames) {
    std::string bytes;
    PutNumber(bytes, uint32_t{1});  // strings
    PutText(bytes, std::string(size_t{1} << 20, 'n'));
    PutNumber(bytes, uint32_t{1});  // entries
    PutNumber(bytes, uint64_t{7});  // address
    PutNumber(bytes, frames);
    for (uint32_t i = 0; i < 5 * frames; i++) PutNumber(bytes, uint32_t{0});
    return bytes;
  };
  ModuleNames names;
  CHECK(DecodeNames(repeated(4), names));  // of each frame three texts
  CHECK(names.at(7).size() == 4);
  names.clear();
  CHECK_FALSE(DecodeNames(repeated(200'000), names));  // 600 GB
  CHECK(names.empty());
}

TEST_CASE("cut or prolonged bytes are refused and change nothing") {
  const std::string bytes = EncodeNames(Example());
  for (size_t size = 0; size < bytes.size(); size++) {
    ModuleNames names;
    CHECK_FALSE(DecodeNames(std::string_view(bytes).substr(0, size), names));
    CHECK(names.empty());
  }
  ModuleNames names;
  CHECK_FALSE(DecodeNames(bytes + "x", names));
}

TEST_CASE("changed bytes never give a frame without a function") {
  const std::string bytes = EncodeNames(Example());
  for (size_t at = 0; at < bytes.size(); at++) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string broken = bytes;
      broken[at] = static_cast<char>(broken[at] ^ flip);
      ModuleNames names;
      if (!DecodeNames(broken, names)) continue;
      for (const auto& [address, frames] : names) {
        for (const SourceFrame& frame : frames) CHECK_FALSE(frame.function.empty());
      }
    }
  }
}

}  // namespace
}  // namespace gprofx
