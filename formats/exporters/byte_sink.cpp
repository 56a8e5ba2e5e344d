#include "formats/exporters/byte_sink.h"

#include <zlib.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "core/base/file_io.h"
#include "formats/database/worker.h"

namespace gprofx::exporters {

struct ByteSink::Writer {
  int fd = -1;
  bool gzip = false;
  z_stream stream{};
  std::array<unsigned char, 256 * 1024> packed;
  std::string piece;  // the piece that the worker compresses and writes
  std::atomic<bool> failed = false;
  std::atomic<int> error_number = 0;
  int64_t written = 0;
  Worker worker;  // the last member, so its thread ends first

  void Fail(int number) {
    error_number = number;
    failed = true;
  }

  void Put(const char* data, size_t size) {
    if (failed || size == 0) return;
    errno = 0;
    if (!WriteAll(fd, data, size)) return Fail(errno);
    written += static_cast<int64_t>(size);
  }

  void Pack(int flush) {
    stream.next_in = reinterpret_cast<unsigned char*>(piece.data());
    stream.avail_in = static_cast<unsigned>(piece.size());
    do {
      stream.next_out = packed.data();
      stream.avail_out = static_cast<unsigned>(packed.size());
      if (deflate(&stream, flush) == Z_STREAM_ERROR) return Fail(0);
      Put(reinterpret_cast<const char*>(packed.data()), packed.size() - stream.avail_out);
    } while (stream.avail_out == 0 && !failed);
  }

  void Work(bool last) {
    if (gzip) {
      if (!failed) Pack(last ? Z_FINISH : Z_NO_FLUSH);
    } else {
      Put(piece.data(), piece.size());
    }
    piece.clear();
  }
};

ByteSink::ByteSink(int fd, bool gzip) : writer_(std::make_unique<Writer>()) {
  constexpr int kGzip = 16, kMemory = 9;
  writer_->fd = fd;
  writer_->gzip = gzip;
  text_.reserve(kPiece + kPiece / 4);
  if (gzip && deflateInit2(&writer_->stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                           Z_DEFAULT_STRATEGY) != Z_OK) {
    writer_->Fail(ENOMEM);
  }
}

ByteSink::~ByteSink() {
  writer_->worker.End();
  if (writer_->gzip) deflateEnd(&writer_->stream);
}

void ByteSink::HandOn() {
  writer_->worker.Wait();
  std::swap(text_, writer_->piece);
  writer_->worker.Start([writer = writer_.get()] { writer->Work(false); });
}

bool ByteSink::Finish() {
  if (!text_.empty()) HandOn();
  writer_->worker.Wait();
  if (writer_->gzip) writer_->Work(true);
  return ok();
}

bool ByteSink::ok() const { return !writer_->failed; }
int ByteSink::error_number() const { return writer_->error_number; }
int64_t ByteSink::written() const { return writer_->written; }

}  // namespace gprofx::exporters
