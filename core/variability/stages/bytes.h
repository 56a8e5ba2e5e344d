// Serializes numbers and texts for messages between ranks. Writing cannot fail. Read the result
// with ByteReader (Uleb, Zigzag, CountedText). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/byte_reader.h"

namespace gprofx::variability {

class ByteWriter {
 public:
  void Put(uint64_t number) {  // appends LEB128
    for (; number >= 0x80; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
  }
  void PutSigned(int64_t number) {  // appends a zigzag number
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

}  // namespace gprofx::variability
