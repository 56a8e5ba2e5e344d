// Serializes numbers and texts for messages between ranks. Writing cannot fail. Read the result
// with ByteReader (Uleb, Zigzag, CountedText). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/byte_reader.h"
#include "core/base/varint.h"

namespace gprofx::variability {

class ByteWriter {
 public:
  void Put(uint64_t number) { PutVarint(out_, number); }
  void PutSigned(int64_t number) { Put(ZigZag(number)); }
  void PutText(std::string_view text) {
    Put(text.size());
    out_ += text;
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace gprofx::variability
