// Varints (LEB128) store a number in 7 bits a byte, lowest first. The highest bit of a byte is set
// if another byte follows. Zigzag maps signed numbers to unsigned ones, so that those near 0 take
// few bytes. ByteReader also reads both, from untrusted bytes. Pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace gprofx {

inline constexpr size_t kMaxVarint = 10;  // bytes of the largest number

constexpr size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
constexpr uint64_t ZigZag(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return bits << 1 ^ (uint64_t{0} - (bits >> 63));
}
constexpr int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1 ^ (uint64_t{0} - (value & 1)));
}

// Returns the difference of two numbers modulo 2^64, zigzag-mapped: the exact difference may not
// fit in an int64_t. AddZigZag() reverts this.
constexpr uint64_t ZigZagDifference(int64_t value, int64_t before) {
  return ZigZag(static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(before)));
}
constexpr int64_t AddZigZag(int64_t before, uint64_t difference) {
  return static_cast<int64_t>(static_cast<uint64_t>(before) +
                              static_cast<uint64_t>(UnZigZag(difference)));
}

// Writes up to kMaxVarint bytes at the iterator `at`, and returns the iterator after them.
template <class Byte, class Out>
constexpr Out WriteVarint(Out at, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<Byte>(value | 0x80);
  *at++ = static_cast<Byte>(value);
  return at;
}

// Appends to a string or to a vector of bytes.
template <class Bytes>
void PutVarint(Bytes& out, uint64_t value) {
  WriteVarint<typename Bytes::value_type>(std::back_inserter(out), value);
}

// Reads the varint at `at` into `value` and moves `at` past it. Returns false if the varint is too
// long or extends beyond `end`.
template <class Byte>
constexpr bool ReadVarint(const Byte*& at, const Byte* end, uint64_t& value) {
  value = 0;
  for (int shift = 0;; shift += 7) {
    if (at == end || shift >= 64) return false;
    const auto byte = static_cast<uint8_t>(*at++);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
}

}  // namespace gprofx
