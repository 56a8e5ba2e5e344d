// Writes the bytes of an export to a descriptor, with or without compression.
//
// The caller appends bytes to text() and calls Step(). Once there is a full piece, Step() passes it
// to a second thread, which compresses and writes it while the caller fills the next one. Memory is
// therefore bounded by two pieces. After an error, such as a full disk or a closed pipe, bytes are
// discarded and ok() is false; a loop over millions of events need not check ok() each time.
// SIGPIPE must be ignored. Use from one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace gprofx::exporters {

class ByteSink {
 public:
  // The caller keeps ownership of `fd`, which must outlive the sink. With `gzip`, the output is one
  // gzip member, compressed at the fastest level.
  ByteSink(int fd, bool gzip);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  std::string& text() { return text_; }
  void Step() {
    if (text_.size() >= kPiece) HandOn();
  }

  // Waits until everything is written. Returns false after an error; error_number() is then its
  // errno, or 0 if unknown.
  bool Finish();
  bool ok() const;
  int error_number() const;
  int64_t written() const;  // number of bytes after compression; valid after Finish()

 private:
  static constexpr size_t kPiece = size_t{1} << 20;
  struct Writer;

  void HandOn();

  std::string text_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace gprofx::exporters
