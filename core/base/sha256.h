// Computes SHA-256 (FIPS 180-4). Used to hash names that must not be recoverable from their hashes.
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx {

// Hashes a text that is added in pieces.
class Sha256Sum {
 public:
  void Add(std::string_view piece);
  std::array<uint8_t, 32> Finish();  // call once

 private:
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint64_t bytes_ = 0;
  std::string rest_;  // input that does not yet fill a block
};

std::array<uint8_t, 32> Sha256(std::string_view text);

}  // namespace gprofx
