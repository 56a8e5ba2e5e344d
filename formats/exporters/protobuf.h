// Writes protobuf messages, https://protobuf.dev/programming-guides/encoding/. A message is a
// string to which the functions append fields. Pure, any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/varint.h"

namespace gprofx::exporters::protobuf {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

inline void Tag(std::string& out, uint32_t field, WireType type) {
  PutVarint(out, field << 3 | type);
}

// Appends a field of type int64, uint64, bool or enum.
inline void Number(std::string& out, uint32_t field, uint64_t value) {
  Tag(out, field, kVarint);
  PutVarint(out, value);
}

inline void Signed(std::string& out, uint32_t field, int64_t value) {
  Number(out, field, static_cast<uint64_t>(value));
}

inline void Fixed64(std::string& out, uint32_t field, uint64_t value) {
  Tag(out, field, kFixed64);
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.append(bytes, sizeof bytes);
}

inline void Double(std::string& out, uint32_t field, double value) {
  Fixed64(out, field, std::bit_cast<uint64_t>(value));
}

// Appends a field that holds a string, bytes, a message or packed numbers.
inline void Bytes(std::string& out, uint32_t field, std::string_view bytes) {
  Tag(out, field, kBytes);
  PutVarint(out, bytes.size());
  out.append(bytes);
}

}  // namespace gprofx::exporters::protobuf
