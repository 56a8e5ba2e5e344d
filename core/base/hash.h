// Hashes numbers, for tables in memory and for reproducible random numbers. Pure.
//
// Some results are written to files or compared between processes and must not change. The callers
// for which this holds say so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gprofx {

// 2^64 divided by the golden ratio, as an odd number.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

// Mixes the bits of `x`: each bit of `x` affects each bit of the result. This is the finalizer of
// splitmix64 (Steele, Lea and Flood, 2014).
constexpr uint64_t MixBits(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Combines numbers into one hash by multiplying and shifting. The shift is needed because keys that
// are small numbers would otherwise collide in the low bits of a table index.
template <class... Numbers>
constexpr uint64_t HashOfNumbers(Numbers... numbers) {
  uint64_t hash = 0;
  const auto add = [&hash](uint64_t number) {
    hash = (hash ^ number) * kGolden;
    hash ^= hash >> 29;
  };
  (add(static_cast<uint64_t>(numbers)), ...);
  return hash;
}

// Hash function for std::unordered_map with keys that are a number, or a pair or an array of
// numbers.
struct NumbersHash {
  size_t operator()(uint64_t key) const { return HashOfNumbers(key); }
  template <class A, class B>
  size_t operator()(const std::pair<A, B>& key) const {
    return HashOfNumbers(key.first, key.second);
  }
  template <class Number, size_t kCount>
  size_t operator()(const std::array<Number, kCount>& key) const {
    // Evaluates a polynomial: its products do not depend on each other, so the CPU computes them in
    // parallel.
    uint64_t hash = 0, factor = kGolden;
    for (const Number number : key) {
      hash += static_cast<uint64_t>(number) * factor;
      factor *= kGolden;
    }
    return MixBits(hash);
  }
};

// Initial value of the 64-bit hash FNV-1a. Add the bytes of the input one by one with AddToFnv().
inline constexpr uint64_t kFnvBasis = 0xcbf29ce484222325u;
constexpr uint64_t AddToFnv(uint64_t hash, uint64_t byte) { return (hash ^ byte) * 0x100000001b3u; }

}  // namespace gprofx
