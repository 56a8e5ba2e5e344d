// Reading and writing plain numbers and texts in byte strings, with every read checked. Host byte
// order: the bytes never leave the machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace gprofx {

// After the first read that does not fit, ok() is false and every read gives 0 or an empty text.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T Number() {
    static_assert(std::is_integral_v<T>);
    T value = 0;
    if (!Need(sizeof(T))) return 0;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  // A length and that many bytes; a view of the input.
  std::string_view Text() {
    const auto size = Number<uint32_t>();
    if (!Need(size)) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  bool Need(size_t size) {
    if (size > rest_.size()) ok_ = false;
    if (!ok_) rest_ = {};
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

template <class T>
void PutNumber(std::string& out, T value) {
  static_assert(std::is_integral_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

inline void PutText(std::string& out, std::string_view text) {
  PutNumber(out, static_cast<uint32_t>(text.size()));
  out += text;
}

}  // namespace gprofx
