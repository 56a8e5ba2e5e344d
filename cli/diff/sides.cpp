#include "cli/diff/sides.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <thread>

#include "cli/analyze/findings.h"
#include "cli/baseline_store.h"
#include "cli/folders.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/text.h"
#include "core/base/file_io.h"
#include "core/compare/unit.h"
#include "core/cost/profiling_time.h"
#include "core/slice/choose_part.h"
#include "formats/profile/profile_reader.h"
#include "formats/reading/analysis_read.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

// Compares file names in such a way that "2" comes before "10". Numbered files then stay in the
// order in which they were made.
bool IsBefore(const std::string& a, const std::string& b) {
  return strverscmp(a.c_str(), b.c_str()) < 0;
}

// Returns the profiles in a folder, sorted by name. They are repetitions, numbered by `gprof-x ci`
// or by a loop of a script.
Result<std::vector<std::string>> FilesIn(const std::string& path) {
  const Result<std::vector<std::string>> names = NamesIn(path);
  if (!names) return names.error();
  std::vector<std::string> files;
  for (const std::string& name : *names) {
    if (name.ends_with(".gprofx")) files.push_back(path + "/" + name);
  }
  if (files.empty()) {
    return Error{ErrorId::kEmptyFile, "'" + path + "' contains no .gprofx file",
                 "name the profiles or their folder"};
  }
  std::sort(files.begin(), files.end(), &IsBefore);
  return files;
}

}  // namespace

Result<std::vector<std::string>> ProfilesOf(const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  for (const std::string& operand : operands) {
    if (NamesBaseline(operand)) {
      const Result<std::vector<std::string>> kept = BaselineFiles(operand);
      if (!kept) return kept.error();
      files.insert(files.end(), kept->begin(), kept->end());
      continue;
    }
    if (!IsFolder(operand)) {
      files.push_back(operand);
      continue;
    }
    const Result<std::vector<std::string>> inside = FilesIn(operand);
    if (!inside) return inside.error();
    files.insert(files.end(), inside->begin(), inside->end());
  }
  return files;
}

namespace {

constexpr size_t kMaxThreads = 8;  // each holds a profile in memory

// Finds inefficiencies in the default range of a recording, as `gprof-x analyze` does.
Status AddFindings(const ProfileReader& reader, compare::Run& run) {
  Result<Profile> profile = reader.Load();
  if (!profile) return profile.error();
  TakeOutProfiling(*profile);
  PartQuery part;
  part.all = OnlyEventsHaveTimes(*profile);
  if (const Status selected = SelectPart(reader, part, *profile); !selected) return selected;
  const Result<GpuWorkEvents> events = ReadGpuWork(reader, *profile);
  if (!events) return events.error();
  const Result<findings::FindingReport> report = ReadFindings(reader, {*profile, *events, ""});
  if (!report) return report.error();
  run.no_findings = report->reason;
  if (!report->reason.empty()) return Ok();
  run.findings.emplace();
  for (const findings::Inefficiency& row : report->rows) {
    run.findings->push_back(
        {row.rule->id, row.function, row.file, row.line, row.saving_ns, row.share});
  }
  return Ok();
}

using RunRead = std::optional<Result<compare::Run>>;  // nullopt if there was not enough memory

enum class Reads { kWhole, kStepsAlone };  // kStepsAlone: read only the steps, if there are any

RunRead ReadRun(const std::string& path, CodeView code, bool findings, Reads reads) try {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  bool whole = true;
  Result<Profile> profile = reader->LoadFor([&](const Profile& of_run) {
    whole = reads == Reads::kWhole || !compare::RunReader::StepsSuffice(of_run);
    return whole;
  });
  if (!profile) return profile.error();
  TakeOutProfiling(*profile);
  compare::RunReader run(*profile, code);
  if (whole) run.TakeWhole();
  if (const Status selected = SelectPart(*reader, {}, *profile); !selected) return selected.error();
  if (!run.TakeSteps() && !whole) return ReadRun(path, code, findings, Reads::kWhole);
  for (const Stream stream : compare::RunReader::Streams()) {
    const Result<int64_t> read =
        reader->Events(stream, compare::RunReader::Columns(stream), kEarliest, kLatest,
                       [&](const EventTable& rows) { run.Add(rows); });
    if (!read) return read.error();
  }
  compare::Run read = run.Finish();
  if (!findings) return read;
  if (const Status added = AddFindings(*reader, read); !added) return added.error();
  return read;
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

Result<std::vector<compare::Run>> ReadAll(const std::vector<std::string>& files, CodeView code,
                                          bool findings, Reads reads) {
  ProgressLine progress(STDERR_FILENO);
  std::mutex shown;
  std::vector<RunRead> read(files.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      {
        const std::lock_guard lock(shown);
        progress.Show("reading " + files[i]);
      }
      read[i] = ReadRun(files[i], code, findings, reads);
    }
  };
  {
    std::vector<std::jthread> threads;
    const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
    // A thread that cannot be created is not needed: the others do its work.
    try {
      while (threads.size() + 1 < std::min(cores, files.size())) threads.emplace_back(work);
    } catch (const std::system_error&) {
    }
    work();
  }
  std::vector<compare::Run> runs;
  for (size_t i = 0; i < files.size(); ++i) {
    // If there was not enough memory, read the file again now, without other threads.
    if (!read[i]) read[i] = ReadRun(files[i], code, findings, reads);
    if (!read[i]) {
      return Error{ErrorId::kNoResources, "out of memory while reading '" + files[i] + "'",
                   "compare fewer profiles at once"};
    }
    if (!*read[i]) return read[i]->error();
    runs.push_back(std::move(**read[i]));
  }
  return runs;
}

// Reads the whole recording of those runs of which only the steps have been read so far.
Status ReadWholes(const std::vector<std::string>& files, CodeView code, bool findings,
                  std::vector<compare::Run>& runs) {
  std::vector<std::string> missing;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].has_whole) missing.push_back(files[i]);
  }
  Result<std::vector<compare::Run>> read = ReadAll(missing, code, findings, Reads::kWhole);
  if (!read) return read.error();
  auto next = read->begin();
  for (compare::Run& run : runs) {
    if (!run.has_whole) run = std::move(*next++);
  }
  return Ok();
}

}  // namespace

Result<std::vector<compare::Run>> ReadRuns(const std::vector<std::string>& files, CodeView code,
                                           bool findings) {
  return ReadAll(files, code, findings, Reads::kWhole);
}

Result<Sides> ReadSides(const std::vector<std::string>& base, const std::vector<std::string>& head,
                        CodeView code, bool findings) {
  std::vector<std::string> files = base;
  files.insert(files.end(), head.begin(), head.end());
  Result<std::vector<compare::Run>> runs = ReadAll(files, code, findings, Reads::kStepsAlone);
  if (!runs) return runs.error();
  const auto sides = std::span(*runs);
  const auto unit = compare::ChooseUnit(sides.first(base.size()), sides.subspan(base.size())).unit;
  if (unit != compare::Unit::kStep) {
    if (const Status read = ReadWholes(files, code, findings, *runs); !read) return read.error();
  }
  const auto second =
      std::make_move_iterator(runs->begin() + static_cast<std::ptrdiff_t>(base.size()));
  return Sides{{std::make_move_iterator(runs->begin()), second},
               {second, std::make_move_iterator(runs->end())}};
}

}  // namespace gprofx
