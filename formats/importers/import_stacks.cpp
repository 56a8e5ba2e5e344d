#include "formats/importers/import_stacks.h"

#include <vector>

#include "formats/importers/byte_source.h"
#include "formats/importers/collapsed/austin.h"
#include "formats/importers/collapsed/collapsed.h"
#include "formats/importers/perf/perf_script.h"
#include "formats/importers/trace_format.h"

namespace gprofx::importers {
namespace {

constexpr size_t kRowsPerBatch = size_t{1} << 16;

template <class Reader>
Result<uint64_t> ReadAll(const std::string& path, Reader& reader) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  for (std::span<const char> piece; !(piece = source->Next()).empty();) reader.Add(piece);
  reader.Finish();
  if (!source->status()) return source->status().error();
  return source->hash();
}

// True if austin wrote the file. Reads only as much of it as necessary.
Result<bool> IsAustin(const std::string& path) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  AustinDetector detector;
  for (std::span<const char> piece; !detector.decided() && !(piece = source->Next()).empty();) {
    detector.Add(piece);
  }
  detector.Finish();
  if (!source->status()) return source->status().error();
  return detector.is_austin();
}

Error NoStacks(const std::string& path, const std::string& what) {
  return {ErrorId::kOtherFormat, "'" + path + "' has no stacks of the format " + what,
          std::string("name its format with --from ") + kTraceFormats};
}

// Collects rows and passes them to a sink in batches.
class Batches {
 public:
  Batches(Profile& profile, RowSink& sink) : profile_(profile), sink_(sink) {}

  void Add(const SampleRow& row) {
    rows_.push_back(row);
    if (rows_.size() == kRowsPerBatch) Flush();
  }
  Status Finish() {
    Flush();
    return written_;
  }

 private:
  void Flush() {
    if (written_ && !rows_.empty()) written_ = sink_.Add(rows_, profile_);
    rows_.clear();
  }

  Profile& profile_;
  RowSink& sink_;
  Status written_ = Ok();
  std::vector<SampleRow> rows_;
};

}  // namespace

Result<std::string> ImportPerfScript(const std::string& path, Profile& profile, RowSink& sink,
                                     uint64_t& hash) {
  Batches batches(profile, sink);
  PerfScriptReader reader(profile, [&](const SampleRow& row) { batches.Add(row); });
  const Result<uint64_t> read = ReadAll(path, reader);
  if (!read) return read.error();
  if (Status written = batches.Finish(); !written) return written.error();
  if (reader.samples() == 0) return NoStacks(path, "perf script");
  hash = *read;
  return std::string("perf script");
}

Result<std::string> ImportCollapsed(const std::string& path, Profile& profile, uint64_t& hash) {
  const Result<bool> is_austin = IsAustin(path);
  if (!is_austin) return is_austin.error();
  CollapsedReader reader(profile, *is_austin);
  const Result<uint64_t> read = ReadAll(path, reader);
  if (!read) return read.error();
  if (reader.has_two_values()) {
    return Error{ErrorId::kOtherFormat,
                 "'" + path + "' has two values in each line, as a comparison of two profiles has",
                 "import the two profiles and compare them with gprof-x diff"};
  }
  std::string what = *is_austin ? "austin" : "collapsed stacks";
  if (!reader.has_values()) return NoStacks(path, what);
  hash = *read;
  if (reader.scale() > 1) what += " (values times " + std::to_string(reader.scale()) + ")";
  return what;
}

}  // namespace gprofx::importers
