// Mends JSON that is nearly valid. A bad byte then spoils only one name and not the whole trace.
//
//  * In texts, U+FFFD replaces control characters, bytes that are not UTF-8, and single halves of
//    surrogate pairs.
//  * NaN and infinite numbers, which JSON does not have, become null.
//  * A comma before the end of a list is removed.
//
// Everything else except blanks is unchanged. Pieces may be cut anywhere. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gprofx::importers {

class JsonMender {
 public:
  // Appends the mended piece to `out`. May hold back its last bytes until the next call.
  void Add(std::span<const char> piece, std::string& out);
  void Finish(std::string& out);  // call after the last piece

  int64_t mended() const { return mended_; }  // number of replacements
  size_t length() const { return length_; }   // number of bytes since a text last began or ended

 private:
  enum class State : uint8_t { kOutside, kText, kEscape, kHex };

  bool Outside(char c, std::string& out);
  bool InText(char c, std::string& out);
  bool InEscape(char c, std::string& out);
  bool InHex(char c, std::string& out);
  bool InUtf8(unsigned char c, std::string& out);
  void EndWord(std::string& out);
  void DropComma(std::string& out);
  void EndEscape(std::string& out);
  void DropHalfPair(std::string& out);
  void Replace(std::string& out);

  State state_ = State::kOutside;
  std::string word_;  // outside of texts: the current word or number, read so far
  std::string hex_;   // digits of an escape
  std::string half_;  // digits of the first half of a surrogate pair
  std::string utf8_;  // the first bytes of a character
  size_t length_ = 0;
  bool comma_kept_ = false;  // a comma is held back: it may be the last of its list
  int64_t mended_ = 0;
};

}  // namespace gprofx::importers
