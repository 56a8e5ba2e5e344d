// Reading DWARF's numbers and texts from little endian bytes, every read checked. After the first
// read that does not fit, ok() is false, the end is reached and every read gives 0 or "".
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace gprofx {

class DwarfCursor {
 public:
  explicit DwarfCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T Number() {
    T value = 0;
    if (!Need(sizeof(T))) return 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  uint64_t Uleb() {  // bits above 64 are lost
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

  std::string_view Text() {  // up to a NUL, which is read too
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    const void* end = at_end() ? nullptr : std::memchr(begin, 0, bytes_.size() - at_);
    if (end == nullptr) {
      Need(bytes_.size() - at_ + 1);
      return {};
    }
    const auto size = static_cast<size_t>(static_cast<const char*>(end) - begin);
    at_ += size + 1;
    return {begin, size};
  }

  void Skip(uint64_t count) {
    if (Need(count)) at_ += count;
  }

  size_t at() const { return at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  bool ok() const { return ok_; }

 private:
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

}  // namespace gprofx
