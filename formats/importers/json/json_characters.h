// Reads a JSON file piece by piece, and repairs what is nearly JSON (json_mender.h). One thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "formats/importers/byte_source.h"
#include "formats/importers/json_mender.h"

namespace gprofx::importers {

inline constexpr size_t kLongestText = size_t{16} << 20;

// Reads the bytes of a source, mends them, and limits the length of texts.
class JsonCharacters {
 public:
  explicit JsonCharacters(ByteSource& source) : source_(source) {}

  bool AtEnd() {
    while (at_ == end_ && !is_over_) Read();
    return at_ == end_;
  }
  // Call the next three functions only if AtEnd() returned false.
  char Get() const { return *at_; }
  // Returns the rest of the current piece.
  std::string_view Rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  void Advance(size_t count) { at_ += count; }
  // Returns the number of characters before the current one.
  size_t position() const { return before_ + static_cast<size_t>(at_ - mended_.data()); }
  // True after a text longer than kLongestText.
  bool is_too_long() const { return mender_.length() > kLongestText; }
  int64_t mended() const { return mender_.mended(); }

 private:
  void Read() {
    const std::span<const char> piece = source_.Next();
    before_ += mended_.size();
    mended_.clear();
    mender_.Add(piece, mended_);
    if (piece.empty()) mender_.Finish(mended_);
    is_over_ = piece.empty() || is_too_long();
    if (is_too_long()) mended_.clear();
    at_ = mended_.data();
    end_ = at_ + mended_.size();
  }

  ByteSource& source_;
  JsonMender mender_;
  std::string mended_;
  size_t before_ = 0;  // number of characters in earlier pieces
  const char* at_ = mended_.data();
  const char* end_ = at_;
  bool is_over_ = false;
};

}  // namespace gprofx::importers
