#include "formats/redaction/redacted_file.h"

#include <sys/stat.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/file_io.h"
#include "core/redact/redact.h"
#include "formats/profile/profile_db.h"
#include "formats/profile/profile_reader.h"

namespace gprofx {
namespace {

constexpr size_t kRowsPerCommit = size_t{1} << 18;

// Copies the rows of streams. Commits them in batches, which limits the memory for uncommitted rows
// to 64 MB.
class Copier {
 public:
  Copier(const ProfileReader& from, const Profile& original, Redaction& redaction,
         ProfileWriter& to)
      : from_(from), original_(original), redaction_(redaction), to_(to) {}

  Status Copy() {
    if (Status samples = Samples(); !samples) return samples;
    for (const EventStream& stream : EventStreams()) {
      if (Status events = Events(stream); !events) return events;
    }
    return Ok();
  }

 private:
  Status Commit(size_t rows) {
    waiting_ += rows;
    if (waiting_ < kRowsPerCommit || !written_) return written_;
    waiting_ = 0;
    return written_ = to_.Commit(redaction_.profile);
  }

  Status Samples() {
    const auto take = [&](std::span<const SampleRow> rows) {
      std::vector<SampleRow> translated(rows.begin(), rows.end());
      for (SampleRow& row : translated) redaction_.maps.Translate(row);
      to_.AppendSamples(translated);
      (void)Commit(rows.size());
    };
    const Result<int64_t> read = from_.Samples(kEarliest, kLatest, take);
    return read ? written_ : Status(read.error());
  }

  Status Events(const EventStream& stream) {
    std::vector<size_t> columns(stream.columns.size());
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = i;
    const auto take = [&](const EventTable& rows) {
      EventTable translated = rows;
      redaction_.Translate(original_, translated);
      to_.AppendEvents(translated);
      (void)Commit(rows.rows());
    };
    const Result<int64_t> read = from_.Events(stream.id, columns, kEarliest, kLatest, take);
    return read ? written_ : Status(read.error());
  }

  const ProfileReader& from_;
  const Profile& original_;
  Redaction& redaction_;
  ProfileWriter& to_;
  size_t waiting_ = 0;
  Status written_ = Ok();
};

}  // namespace

Status WriteRedacted(const std::string& input, const std::string& output, const std::string& key) {
  if (AreOneFile(input, output)) {
    return Error{ErrorId::kOutputExists, "the output '" + output + "' is also the input",
                 "name another output"};
  }
  Result<ProfileReader> reader = ProfileReader::Open(input);
  if (!reader) return reader.error();
  Result<Profile> original = reader->Load();
  if (!original) return original.error();
  Result<std::vector<GpuCubin>> cubins = reader->Cubins();
  if (!cubins) return cubins.error();
  original->gpu.cubins = std::move(*cubins);
  Redaction redaction = Redact(*original, key);
  Result<ProfileWriter> writer = ProfileWriter::Create(output);
  if (!writer) return writer.error();
  if (Status copied = Copier(*reader, *original, redaction, *writer).Copy(); !copied) {
    return copied;
  }
  if (Status last = writer->Commit(redaction.profile); !last) return last;
  if (original->meta["complete"] != "yes") writer->LeaveUnfinished();
  return writer->Finish(redaction.profile, {});
}

}  // namespace gprofx
