// Reads numbers and texts from untrusted bytes and checks that each read stays within them. Also
// writes numbers and texts in the same form. All numbers are little-endian, as on every machine
// that gprof-x profiles. Pure; one thread per object.
//
// After the first read beyond the end, ok() is false, the reader is at the end and every read
// returns 0 or an empty text. The bytes must outlive the reader and the texts that it returned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/varint.h"

namespace gprofx {

static_assert(std::endian::native == std::endian::little);

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit ByteReader(std::string_view bytes)
      : bytes_(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()) {}

  template <class T>
  T Number() {
    static_assert(std::is_integral_v<T>);
    T value = 0;
    if (!Need(sizeof(T))) return 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  uint64_t Uleb() {  // reads an unsigned LEB128 number; bits above 64 are lost
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = Number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  int64_t Sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = Number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }

  int64_t Zigzag() {  // reads a signed number n, stored as LEB128 of 2n, or of -2n - 1 if n < 0
    return UnZigZag(Uleb());
  }

  // Reads, as LEB128, how many items follow in the input. Each item takes at least one byte. A
  // number larger than the rest of the input is therefore an error, and the result is 0.
  uint64_t Count() {
    const uint64_t count = Uleb();
    return Need(count) ? count : 0;
  }

  // Consumes the next `count` bytes of the input and returns them.
  std::span<const std::byte> Bytes(uint64_t count) {
    if (!Need(count)) return {};
    const auto found = bytes_.subspan(at_, static_cast<size_t>(count));
    at_ += found.size();
    return found;
  }

  std::string_view CountedText() { return AsText(Bytes(Count())); }
  // Reads a text that PutText wrote.
  std::string_view SizedText() { return AsText(Bytes(Number<uint32_t>())); }

  std::string_view Text() {  // reads up to a NUL and consumes the NUL
    const size_t left = bytes_.size() - at_;
    const void* end = left == 0 ? nullptr : std::memchr(bytes_.data() + at_, 0, left);
    if (end == nullptr) {
      Need(left + 1);
      return {};
    }
    const auto size = static_cast<size_t>(static_cast<const std::byte*>(end) - bytes_.data()) - at_;
    return AsText(Bytes(size + 1)).substr(0, size);
  }

  void Skip(uint64_t count) { Bytes(count); }

  std::string_view rest() const { return AsText(bytes_.subspan(at_)); }
  size_t at() const { return at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  bool ok() const { return ok_; }

 private:
  static std::string_view AsText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  bool Need(uint64_t count) {
    if (count > bytes_.size() - at_) {
      ok_ = false;
      at_ = bytes_.size();
    }
    return ok_;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

template <class T>
void PutNumber(std::string& out, T value) {
  static_assert(std::is_integral_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

// Appends the length of `text` as 32 bits, and the text, to `out`.
inline void PutText(std::string& out, std::string_view text) {
  PutNumber(out, static_cast<uint32_t>(text.size()));
  out += text;
}

}  // namespace gprofx
