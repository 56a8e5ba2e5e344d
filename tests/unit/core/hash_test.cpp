// Hashes of numbers: published values, and few collisions for keys that are small numbers.
#include <catch2/catch.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/hash.h"
#include "samplers/wire/hash.h"

using namespace gprofx;

TEST_CASE("the mixer is that of splitmix64") {
  // The first outputs of the generator with seed 0.
  CHECK(MixBits(kGolden) == 0xe220a8397b1dcdafu);
  CHECK(MixBits(2 * kGolden) == 0x6e789e6aa1b965f4u);
  CHECK(wire::MixBits(3 * wire::kGolden) == 0x06c45d188009454fu);
}

TEST_CASE("FNV-1a has its published values") {
  const auto hash = [](std::string_view text) {
    uint64_t state = kFnvBasis;
    for (const char c : text) state = AddToFnv(state, static_cast<uint8_t>(c));
    return state;
  };
  CHECK(hash("") == 0xcbf29ce484222325u);
  CHECK(hash("a") == 0xaf63dc4c8601ec8cu);
  CHECK(hash("foobar") == 0x85944171f73967e8u);
}

namespace {

// Returns how many of 2^16 slots the hashes of 256 x 256 small keys use: 41,400 if they are random.
template <class Hash>
size_t UsedSlots(const Hash& hash) {
  std::set<uint64_t> slots;
  for (uint32_t a = 0; a < 256; ++a) {
    for (uint32_t b = 0; b < 256; ++b) slots.insert(hash(a, b) & 0xffff);
  }
  return slots.size();
}

}  // namespace

TEST_CASE("small keys spread over the low bits") {
  constexpr size_t kEnough = 40'000;
  const NumbersHash hash;
  CHECK(UsedSlots([&](uint32_t a, uint32_t b) { return hash(std::pair(a, b)); }) > kEnough);
  CHECK(UsedSlots([&](uint32_t a, uint32_t b) { return hash(uint64_t{a} << 32 | b); }) > kEnough);
  CHECK(UsedSlots([&](uint32_t a, uint32_t b) {
          return hash(std::array<int64_t, 3>{int64_t{a}, 7, int64_t{b}});
        }) > kEnough);
  CHECK(UsedSlots([](uint32_t a, uint32_t b) { return wire::AddToHash(0, a, b); }) > kEnough);
  CHECK(UsedSlots([](uint32_t a, uint32_t b) {
          wire::WordsHash words;
          words.Add(a);
          words.Add(b);
          return wire::MixBits(words.value());
        }) > kEnough);
}
