// Hashes of numbers for the libraries in the target. Pure; may be called from signal handlers.
#pragma once

#include <cstdint>

namespace gprofx::wire {

// 2^64 divided by the golden ratio, rounded to an odd number. The high bits of the product of this
// and a number are a simple hash of the number.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

// Mixes the bits of `x`: each bit of `x` affects each bit of the result. This is the finalizer of
// splitmix64 (Steele, Lea and Flood, 2014).
constexpr uint64_t MixBits(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

template <class... Values>
constexpr uint64_t AddToHash(uint64_t hash, Values... values) {
  ((hash = (hash ^ values) * kGolden, hash ^= hash >> 32), ...);
  return hash;
}

// Hashes a sequence of words as a polynomial: each word is multiplied by a factor, which is kGolden
// times the previous factor, and the products are added. Small changes of several words do not
// cancel out, as they would if the factors were an arithmetic progression. A product does not wait
// for the preceding words, because the factors do not depend on them.
class WordsHash {
 public:
  constexpr void Add(uint64_t word) {
    sum_ += (word ^ word >> 32) * factor_;
    factor_ *= kGolden;
  }
  constexpr uint64_t value() const { return sum_; }  // high bits depend on all bits of all words

 private:
  uint64_t sum_ = 0, factor_ = 0xbf58476d1ce4e5b9;
};

}  // namespace gprofx::wire
