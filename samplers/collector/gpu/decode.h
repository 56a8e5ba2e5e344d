// Converts the bytes of a GPU record to its struct. Returns none if the record is too short. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "samplers/wire/gpu.h"

namespace gprofx {

inline uint16_t GpuTypeOf(std::span<const std::byte> record) {
  wire::GpuRecord start{};
  if (record.size() >= sizeof start) std::memcpy(&start, record.data(), sizeof start);
  return start.type;
}

template <class T>
std::optional<T> DecodeGpu(std::span<const std::byte> record) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (record.size() < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, record.data(), sizeof out);
  return out;
}

// Returns the `length` bytes that follow the T at the start of the record. Returns none if the
// record is too short.
template <class T>
std::optional<std::string_view> TextBehind(std::span<const std::byte> record, uint32_t length) {
  if (record.size() < sizeof(T) || record.size() - sizeof(T) < length) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(record.data()) + sizeof(T), length);
}

}  // namespace gprofx
