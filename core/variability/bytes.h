// Numbers and texts as bytes, for what ranks send each other. Writing cannot fail; reading stops at
// the first thing that does not fit, and ok() says so. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx::variability {

class ByteWriter {
 public:
  void Put(uint64_t number) {  // LEB128
    for (; number >= 0x80; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
  }
  void PutSigned(int64_t number) {  // zigzag
    const auto bits = static_cast<uint64_t>(number);
    Put(bits << 1 ^ (number < 0 ? ~uint64_t{0} : 0));
  }
  void PutText(std::string_view text) {
    Put(text.size());
    out_ += text;
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Get() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    ok_ = false;
    rest_ = {};
    return 0;
  }
  int64_t GetSigned() {
    const uint64_t bits = Get();
    return static_cast<int64_t>(bits >> 1 ^ ((bits & 1) != 0 ? ~uint64_t{0} : 0));
  }
  std::string GetText() {
    const uint64_t size = GetCount();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  // A number of things that follow, each of a byte at least.
  uint64_t GetCount() {
    const uint64_t count = Get();
    if (count <= rest_.size()) return count;
    ok_ = false;
    rest_ = {};
    return 0;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace gprofx::variability
