// Cubins of tests/data/cubin, and positions in their sources by marker comments.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "symbolize/cubin/cubin.h"

namespace gprofx::testing {

inline std::vector<std::byte> ReadBytes(const std::string& name) {
  std::ifstream file("tests/data/cubin/" + name, std::ios::binary);
  REQUIRE(file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// The line that holds "MARK name".
inline uint32_t MarkedLine(const std::string& source, const std::string& name) {
  std::ifstream file("tests/data/cubin/" + source);
  uint32_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const size_t mark = line.find("MARK " + name);
    if (mark != std::string::npos && mark + 5 + name.size() == line.size()) return number;
  }
  FAIL("no marker " << name);
  return 0;
}

}  // namespace gprofx::testing
