#include "core/variability/event.h"

#include <array>
#include <bit>
#include <cmath>

#include "core/base/hash.h"
#include "core/variability/stages/bytes.h"

namespace gprofx::variability {
namespace {

constexpr int kTableBits = 10;
constexpr uint64_t kTableSize = uint64_t{1} << kTableBits;

// Returns a table of log2(1 + i / kTableSize) in units of 2^-24. This unit is fine enough for the
// error of a sum of rounded entries to stay below 2^-16.
std::array<int64_t, kTableSize + 1> MakeTable() {
  std::array<int64_t, kTableSize + 1> table{};
  for (uint64_t i = 0; i <= kTableSize; ++i) {
    const double value = 1 + static_cast<double>(i) / static_cast<double>(kTableSize);
    table[i] = std::llround(std::log2(value) * (1 << 24));
  }
  return table;
}

}  // namespace

std::string_view KindWord(Kind kind) {
  static constexpr std::string_view kWords[] = {"compute", "collective", "copy", "set"};
  return kWords[static_cast<size_t>(kind)];
}

std::string TextOf(const GroupKey& key) {
  ByteWriter out;
  out.Put(static_cast<uint64_t>(key.kind));
  out.PutText(key.device);
  out.PutText(key.name);
  out.PutText(key.shape);
  for (const uint32_t size : key.grid) out.Put(size);
  for (const uint32_t size : key.block) out.Put(size);
  return out.Take();
}

GroupKey KeyOf(std::string_view text) {
  ByteReader in(text);
  GroupKey key;
  const uint64_t kind = in.Uleb();
  key.kind = static_cast<Kind>(kind < kKinds ? kind : 0);
  key.device = in.CountedText();
  key.name = in.CountedText();
  key.shape = in.CountedText();
  for (uint32_t& size : key.grid) size = static_cast<uint32_t>(in.Uleb());
  for (uint32_t& size : key.block) size = static_cast<uint32_t>(in.Uleb());
  return in.ok() ? key : GroupKey{};
}

// Returns two differently parametrized FNV-like hashes of the text, mixed. Ranks compare only the
// hashes; merging also compares the texts.
Hash128 HashOf(std::string_view text) {
  uint64_t a = kFnvBasis, b = kGolden;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    a = AddToFnv(a, byte);
    b = std::rotl(b, 23) * 0xd6e8feb86659fd93u + byte + 1;
  }
  return {MixBits(a ^ text.size()), MixBits(b + a)};
}

int64_t LogOf(int64_t value) {
  static const std::array<int64_t, kTableSize + 1> kTable = MakeTable();
  if (value < 1) return 0;
  const auto number = static_cast<uint64_t>(value);
  const int exponent = 63 - std::countl_zero(number);
  const uint64_t mantissa = number << (63 - exponent) << 1;  // below the leading one
  const uint64_t slot = mantissa >> (64 - kTableBits);
  const auto part = static_cast<int64_t>(mantissa << kTableBits >> 40);  // the highest 24 bits
  const int64_t low = kTable[slot];
  const int64_t fine = low + ((kTable[slot + 1] - low) * part >> 24);
  return exponent * kLogOne + ((fine + 128) >> 8);
}

}  // namespace gprofx::variability
