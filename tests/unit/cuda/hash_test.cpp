#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <vector>

#include "samplers/cuda/modules.h"

using gprofx::cuda::HashImage;

TEST_CASE("every byte and the length count") {
  std::vector<uint8_t> image(1000);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<uint8_t>(i * 31);
  std::set<uint64_t> seen = {HashImage(image.data(), image.size())};
  for (size_t i = 0; i < image.size(); ++i) {
    for (const uint8_t change : {1, 0x80}) {
      image[i] ^= change;
      CHECK(seen.insert(HashImage(image.data(), image.size())).second);
      image[i] ^= change;
    }
  }
  for (size_t bytes = 1; bytes < image.size(); ++bytes)
    CHECK(seen.insert(HashImage(image.data(), bytes)).second);
  CHECK(HashImage(image.data(), image.size()) == HashImage(image.data(), image.size()));
  CHECK(HashImage(nullptr, 0) != 0);
}
