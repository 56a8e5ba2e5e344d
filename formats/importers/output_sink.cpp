#include "formats/importers/output_sink.h"

#include <utility>

namespace gprofx::importers {
namespace {

constexpr size_t kRowsPerCommit = size_t{1} << 18;

}  // namespace

Result<OutputSink> OutputSink::Claim(const std::string& path) {
  ClaimTrouble trouble = ClaimTrouble::kRefused;
  Result<ProfileWriter> writer = ProfileWriter::Claim(path, Existing::kKeepOld, trouble);
  if (!writer) return writer.error();
  return OutputSink(std::move(*writer));
}

Status OutputSink::Write(const EventTable& rows, const Profile& profile) {
  writer_.AppendEvents(rows);
  return CommitIfMany(rows.rows(), profile);
}

Status OutputSink::Write(std::span<const SampleRow> rows, const Profile& profile) {
  writer_.AppendSamples(rows);
  return CommitIfMany(rows.size(), profile);
}

Status OutputSink::Finish(const Profile& profile) {
  if (Status begun = Begin(); !begun) return begun;
  if (Status last = writer_.Commit(profile); !last) return last;
  if (const int64_t dropped = writer_.dropped_rows(); dropped > 0) {
    return Error{
        ErrorId::kCannotWrite,
        "cannot write '" + writer_.path() + "': " + std::to_string(dropped) + " rows are lost",
        "check that its disk is not full"};
  }
  return writer_.Finish(profile, {});
}

Status OutputSink::Begin() {
  if (begun_) return Ok();
  begun_ = true;
  return writer_.Begin();
}

Status OutputSink::CommitIfMany(size_t rows, const Profile& profile) {
  waiting_ += rows;
  if (waiting_ < kRowsPerCommit) return Ok();
  waiting_ = 0;
  if (Status begun = Begin(); !begun) return begun;
  return writer_.Commit(profile);
}

}  // namespace gprofx::importers
