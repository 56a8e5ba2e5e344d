// The characters of a JSON file, for nlohmann's parser. One thread.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string>

#include "formats/importers/byte_source.h"
#include "formats/importers/json_mender.h"

namespace gprofx::importers {

inline constexpr size_t kLongestText = size_t{16} << 20;

// Reads the bytes of a source one by one, mended, and limits the length of texts.
class JsonCharacters {
 public:
  explicit JsonCharacters(ByteSource& source) : source_(source) {}

  bool AtEnd() {
    while (at_ == end_ && !is_over_) Read();
    return at_ == end_;
  }
  char Get() const { return *at_; }
  void Advance() { ++at_; }
  // True after a text of more than kLongestText.
  bool is_too_long() const { return mender_.length() > kLongestText; }
  int64_t mended() const { return mender_.mended(); }

 private:
  void Read() {
    const std::span<const char> piece = source_.Next();
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
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool is_over_ = false;
};

// Iterator for nlohmann's parser, which takes a pair of them; the second is the end.
class JsonIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit JsonIterator(JsonCharacters* characters = nullptr) : characters_(characters) {}
  char operator*() const { return characters_->Get(); }
  JsonIterator& operator++() {
    characters_->Advance();
    return *this;
  }
  JsonIterator operator++(int) {
    JsonIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const JsonIterator& other) const {
    const JsonIterator& here = characters_ != nullptr ? *this : other;
    return here.characters_ == nullptr || here.characters_->AtEnd();
  }
  bool operator!=(const JsonIterator& other) const { return !(*this == other); }

 private:
  JsonCharacters* characters_;
};

}  // namespace gprofx::importers
