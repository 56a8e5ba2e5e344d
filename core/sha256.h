// SHA-256 (FIPS 180-4), for names that must not be read out of their hashes. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gprofx {

std::array<uint8_t, 32> Sha256(std::string_view text);

}  // namespace gprofx
