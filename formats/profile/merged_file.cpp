// Implements MergeFiles. The first pass checks each file: whether it is readable, which recording
// it is, and when its time 0 is. The second pass aligns clocks, and the third merges. The merge
// works in batches. It maps the ids of a file to those of its batch, and the ids of the batch to
// those of the whole. The whole only grows and never changes existing ids.
#include "formats/profile/merged_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/file_io.h"
#include "core/model/merge.h"
#include "core/model/sources.h"
#include "formats/database/counter_table.h"
#include "formats/profile/profile_appender.h"
#include "formats/profile/profile_db.h"
#include "formats/profile/profile_reader.h"
#include "formats/profile/rank_clocks.h"
#include "formats/reading/phase_rows.h"
#include "formats/sqlite/output_claim.h"

namespace gprofx {
namespace {

constexpr size_t kRowsPerCommit = size_t{1} << 18;
constexpr char kPartSuffix[] = ".part";

struct Input {
  std::string path;
  bool is_ranked = false;
  int32_t rank = -1;
  std::string host;
  int64_t start_realtime_ns = 0, first_pid = 0;
  int64_t realtime_of_zero = 0;
  HostNs clock_offset = 0;
  // False if the table is damaged. Nothing else refers to these tables, so only the damaged one is
  // left out.
  bool has_sources = true, has_counters = true;

  auto Order() const {
    return std::tuple(!is_ranked, rank, host, start_realtime_ns, first_pid, path);
  }
};

std::vector<size_t> AllColumns(const EventStream& stream) {
  std::vector<size_t> columns(stream.columns.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

// Returns an error if a stream or a cubin of the file is damaged. All of them are read before the
// merge: if damage were found during the merge, half of the file would already be in the sums.
Status ReadThrough(const ProfileReader& reader) {
  const Result<int64_t> samples = reader.Samples(kEarliest, kLatest, [](const auto&) {});
  if (!samples) return samples.error();
  for (const EventStream& stream : EventStreams()) {
    const Result<int64_t> rows =
        reader.Events(stream.id, AllColumns(stream), kEarliest, kLatest, [](const auto&) {});
    if (!rows) return rows.error();
  }
  const Result<std::vector<GpuCubin>> cubins = reader.Cubins();
  return cubins ? Ok() : Status(cubins.error());
}

// Returns true if `read` succeeded. Otherwise adds its error to `left_out`, with `what` as the part
// of the file that is left out.
template <class Read>
bool LookAtPart(const Read& read, const char* what, const std::string& path,
                std::vector<Error>& left_out) {
  if (read) return true;
  Error error = InFile(path, read.error());
  error.what = std::string("only ") + what + ": " + error.what;
  left_out.push_back(std::move(error));
  return false;
}

Result<Input> LookAt(const std::string& path, std::vector<Error>& left_out) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  const Result<Profile> profile = reader->Load();
  if (!profile) return profile.error();
  if (Status whole = ReadThrough(*reader); !whole) return whole.error();
  Input input{.path = path, .realtime_of_zero = RealtimeOfZero(*profile)};
  if (const std::vector<Source> sources = SourcesOf(*profile); !sources.empty()) {
    input.is_ranked = sources.front().rank >= 0;
    input.rank = sources.front().rank;
    input.host = sources.front().host;
    input.start_realtime_ns = sources.front().start_realtime_ns;
  }
  if (!profile->processes.empty()) input.first_pid = profile->processes.front().pid;
  input.has_sources = LookAtPart(reader->Sources(), "source texts", path, left_out);
  input.has_counters = LookAtPart(reader->Counters(), "hardware counters", path, left_out);
  return input;
}

Status AlignClocks(std::vector<Input>& inputs, const MergeProgress& progress) {
  std::vector<int64_t> zeros;
  for (const Input& input : inputs) zeros.push_back(input.realtime_of_zero);
  std::vector<HostNs> offsets = ClockOffsets(std::move(zeros));
  RankClocks clocks;
  Profile names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    progress("aligning", i);
    const Result<ProfileReader> reader = ProfileReader::Open(inputs[i].path);
    if (!reader) return reader.error();
    const Result<Profile> profile = reader->Load();
    if (!profile) return profile.error();
    Result<std::vector<CollectiveEnd>> ends = CollectiveEnds(*reader, *profile, names);
    if (!ends) return InFile(inputs[i].path, ends.error());
    offsets[i] = clocks.Align(std::move(*ends), offsets[i]);
  }
  BeginAtZero(offsets);
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i].clock_offset = offsets[i];
  return Ok();
}

class FileMerger {
 public:
  FileMerger(ProfileWriter& writer, MergedFiles& outcome) : writer_(writer), outcome_(outcome) {}

  Status Add(std::span<const Input> batch) {
    Profile profiles;
    std::vector<Part> parts;
    std::vector<std::pair<const Input*, Error>> refused;
    for (const Input& input : batch) {
      Result<Part> part = Load(input);
      if (!part) return InFile(input.path, part.error());
      Result<IdMaps> maps = Merge(profiles, part->profile, {.clock_offset = input.clock_offset});
      if (!maps) {
        refused.emplace_back(&input, maps.error());
        continue;
      }
      part->profile = Profile();
      part->maps = std::move(*maps);
      parts.push_back(std::move(*part));
    }
    const Result<IdMaps> whole = Merge(whole_, profiles, {.clock_offset = 0});
    // A recording of this batch is already in the whole. Adding the files one by one finds out
    // which one it is.
    if (!whole && batch.size() > 1) return AddOneByOne(batch);
    if (!whole) refused.emplace_back(&batch.front(), whole.error());
    for (const auto& [input, error] : refused) {
      outcome_.left_out.push_back(InFile(input->path, error));
    }
    if (!whole) return Ok();
    for (const Part& part : parts) {
      if (Status copied = Copy(part, *whole); !copied) return copied;
    }
    outcome_.merged += parts.size();
    return Ok();
  }

  Status Finish(const std::string& output) {
    whole_.phases = {};
    whole_.meta.erase(kPhasesFact);
    if (const auto said = whole_.meta.find("complete");
        said == whole_.meta.end() || said->second != "yes") {
      writer_.LeaveUnfinished();
    }
    if (Status last = writer_.Commit(whole_); !last) return last;
    if (Status finished = writer_.Finish(whole_, {}); !finished) return finished;
    if (counters_.empty()) return Ok();
    std::vector<KernelCounters> rows;
    for (const auto& [_, row] : counters_) rows.push_back(row);
    Result<ProfileAppender> appender = ProfileAppender::Open(output);
    if (!appender) return appender.error();
    if (Status added = appender->Append(TableOf(rows)); !added) return added;
    return appender->Commit();
  }

 private:
  struct Part {
    const Input* input;
    ProfileReader reader;
    Profile profile;
    IdMaps maps;
  };

  static Result<Part> Load(const Input& input) {
    Result<ProfileReader> reader = ProfileReader::Open(input.path);
    if (!reader) return reader.error();
    Result<Profile> profile = reader->Load();
    if (!profile) return profile.error();
    Result<std::vector<GpuCubin>> cubins = reader->Cubins();
    if (!cubins) return cubins.error();
    profile->gpu.cubins = std::move(*cubins);
    if (input.has_sources) {
      Result<std::vector<SourceText>> sources = reader->Sources();
      if (!sources) return sources.error();
      profile->gpu.sources = std::move(*sources);
    }
    return Part{&input, std::move(*reader), std::move(*profile), {}};
  }

  Status AddOneByOne(std::span<const Input> batch) {
    for (size_t i = 0; i < batch.size(); ++i) {
      if (Status added = Add(batch.subspan(i, 1)); !added) return added;
    }
    return Ok();
  }

  Status Copy(const Part& part, const IdMaps& whole) {
    Status status = CopySamples(part, whole);
    for (const EventStream& stream : EventStreams()) {
      if (status) status = CopyEvents(part, whole, stream);
    }
    if (status && part.input->has_counters) status = TakeCounters(part, whole);
    return status;
  }

  Status CopySamples(const Part& part, const IdMaps& whole) {
    std::vector<SampleRow> moved;
    Status written = Ok();
    const Result<int64_t> read =
        part.reader.Samples(kEarliest, kLatest, [&](std::span<const SampleRow> rows) {
          moved.assign(rows.begin(), rows.end());
          for (SampleRow& row : moved) {
            part.maps.Translate(row);
            whole.Translate(row);
          }
          writer_.AppendSamples(moved);
          if (written) written = Written(rows.size());
        });
    return read ? written : Status(InFile(part.input->path, read.error()));
  }

  Status CopyEvents(const Part& part, const IdMaps& whole, const EventStream& stream) {
    Status written = Ok();
    const Result<int64_t> read = part.reader.Events(stream.id, AllColumns(stream), kEarliest,
                                                    kLatest, [&](const EventTable& rows) {
                                                      EventTable moved = rows;
                                                      part.maps.Translate(moved);
                                                      whole.Translate(moved);
                                                      writer_.AppendEvents(moved);
                                                      if (written) written = Written(rows.rows());
                                                    });
    return read ? written : Status(InFile(part.input->path, read.error()));
  }

  Status Written(size_t rows) {
    waiting_ += rows;
    if (waiting_ < kRowsPerCommit) return Ok();
    waiting_ = 0;
    return writer_.Commit(whole_);
  }

  // Collects the hardware counters of a file. If several files measured a configuration, the first
  // one wins.
  Status TakeCounters(const Part& part, const IdMaps& whole) {
    const Result<std::vector<KernelCounters>> counters = part.reader.Counters();
    if (!counters) return InFile(part.input->path, counters.error());
    for (KernelCounters row : *counters) {
      if (!row.config) continue;
      row.config = whole.configs[part.maps.configs[row.config.index()].index()];
      counters_.emplace(row.config, row);
    }
    return Ok();
  }

  ProfileWriter& writer_;
  MergedFiles& outcome_;
  Profile whole_;
  std::map<GpuConfigId, KernelCounters> counters_;
  size_t waiting_ = 0;  // number of uncommitted rows
};

// A temporary file that becomes the output once it is complete. If it never does, the destructor
// removes it.
class PartFile {
 public:
  explicit PartFile(const std::string& output) : path_(output + kPartSuffix) {}
  ~PartFile() {
    if (!is_ours_) return;
    unlink(path_.c_str());
    unlink((path_ + "-journal").c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  // Creates the temporary file. It replaces that of a merge that was killed. Returns an error if
  // that merge is still running.
  Result<ProfileWriter> Create() {
    const bool is_left = IsProfile(path_);
    Result<ProfileWriter> writer = ProfileWriter::Create(path_);
    if (!writer) return writer;
    is_ours_ = true;
    if (is_left) {
      unlink((path_ + ".old").c_str());
      unlink((path_ + ".old-journal").c_str());
    }
    return writer;
  }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  bool is_ours_ = false;
};

Status TakePart(const std::string& file, const std::string& output) {
  const int renamed = rename((output + kPartSuffix).c_str(), file.c_str());
  return renamed == 0 ? Ok() : Status(WriteError(output, errno, ""));
}

// Moves the complete file to `output`. Returns an error if a recording is writing `output`.
Status Publish(const std::string& output) {
  ClaimTrouble trouble;
  Result<OutputClaim> claim = OutputClaim::Take(output, Existing::kKeepOld, &TakePart, trouble);
  if (!claim) return claim.error();
  return claim->Publish();
}

// Returns an error if `output` is also an input or cannot be replaced. Call it first, because
// reading the inputs may take hours.
Status CheckOutput(const std::vector<std::string>& paths, const std::string& output) {
  for (const std::string& path : paths) {
    if (!AreOneFile(path, output)) continue;
    return Error{ErrorId::kOutputExists, "the output '" + output + "' is also an input",
                 "name another output"};
  }
  bool exists = false;
  return CheckReplaceable(output, true, exists);
}

Status MergeInto(ProfileWriter& writer, const std::vector<Input>& inputs, const std::string& path,
                 const MergeProgress& progress, MergedFiles& outcome) {
  FileMerger merger(writer, outcome);
  for (size_t i = 0; i < inputs.size(); i += kMergeBatch) {
    progress("merging", i);
    const size_t count = std::min(kMergeBatch, inputs.size() - i);
    if (Status added = merger.Add(std::span(inputs).subspan(i, count)); !added) return added;
  }
  return merger.Finish(path);
}

}  // namespace

Status MergeFiles(const std::vector<std::string>& paths, const std::string& output,
                  const MergeProgress& progress, MergedFiles& outcome) {
  if (Status fits = CheckOutput(paths, output); !fits) return fits;
  std::vector<Input> inputs;
  for (size_t i = 0; i < paths.size(); ++i) {
    progress("reading", i);
    Result<Input> input = LookAt(paths[i], outcome.left_out);
    if (input) {
      inputs.push_back(std::move(*input));
    } else {
      outcome.left_out.push_back(InFile(paths[i], input.error()));
    }
  }
  std::sort(inputs.begin(), inputs.end(),
            [](const Input& a, const Input& b) { return a.Order() < b.Order(); });
  if (inputs.empty()) {
    return Error{ErrorId::kCannotRead, "cannot read any of the files", "name profiles of gprof-x"};
  }
  if (Status aligned = AlignClocks(inputs, progress); !aligned) return aligned;
  PartFile part(output);
  {
    Result<ProfileWriter> writer = part.Create();
    if (!writer) return writer.error();
    if (Status merged = MergeInto(*writer, inputs, part.path(), progress, outcome); !merged) {
      return merged;
    }
  }
  return Publish(output);
}

}  // namespace gprofx
