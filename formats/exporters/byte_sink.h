// Where the bytes of an export go: a descriptor, compressed on the way or not.
//
// Bytes are appended to text(), and Step() hands them on once there is a piece of them. Compressing
// and writing is the work of a second thread, one piece behind, so memory is bounded by two pieces.
// After an error, such as a full disk or a pipe that nobody reads any more, bytes are thrown away
// and ok() is false: a loop over millions of events need not ask. SIGPIPE must be ignored. One
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace gprofx::exporters {

class ByteSink {
 public:
  // `fd` stays the caller's and must outlive the sink. gzip: one member, fastest level.
  ByteSink(int fd, bool gzip);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  std::string& text() { return text_; }
  void Step() {
    if (text_.size() >= kPiece) HandOn();
  }

  // Waits until all is written. False after an error; error_number() tells which, 0 = not known.
  bool Finish();
  bool ok() const;
  int error_number() const;
  int64_t written() const;  // bytes, after compression; after Finish()

 private:
  static constexpr size_t kPiece = size_t{1} << 20;
  struct Writer;

  void HandOn();

  std::string text_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace gprofx::exporters
