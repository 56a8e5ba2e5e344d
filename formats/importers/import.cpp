#include "formats/importers/import.h"

#include <span>
#include <utility>
#include <vector>

#include "formats/importers/byte_source.h"
#include "formats/importers/chrome_trace.h"
#include "formats/importers/nsight.h"
#include "formats/importers/stack_texts.h"
#include "formats/importers/trace_gather.h"
#include "formats/profile/profile_db.h"

namespace gprofx::importers {
namespace {

constexpr size_t kRowsPerCommit = size_t{1} << 18;

// The output file. Rows arrive before the end of the trace is known, so they are committed in
// batches; the first commit gives the file its name.
class Output {
 public:
  static Result<Output> Claim(const std::string& path) {
    ClaimTrouble trouble = ClaimTrouble::kRefused;
    Result<ProfileWriter> writer = ProfileWriter::Claim(path, Existing::kKeepOld, trouble);
    if (!writer) return writer.error();
    return Output(std::move(*writer));
  }

  Status Add(const EventTable& rows, const Profile& profile) {
    writer_.AppendEvents(rows);
    return AddRows(rows.rows(), profile);
  }
  Status Add(std::span<const SampleRow> rows, const Profile& profile) {
    writer_.AppendSamples(rows);
    return AddRows(rows.size(), profile);
  }
  Status Finish(const Profile& profile) {
    if (Status begun = Begin(); !begun) return begun;
    if (Status last = writer_.Commit(profile); !last) return last;
    if (const int64_t dropped = writer_.dropped_rows(); dropped > 0) {
      return Error{"cannot write '" + writer_.path() + "': " + std::to_string(dropped) +
                       " rows found no room",
                   "is its disk full?"};
    }
    return writer_.Finish(profile, {});
  }

 private:
  explicit Output(ProfileWriter writer) : writer_(std::move(writer)) {}

  Status Begin() {
    if (begun_) return Ok();
    begun_ = true;
    return writer_.Begin();
  }
  Status AddRows(size_t rows, const Profile& profile) {
    waiting_ += rows;
    if (waiting_ < kRowsPerCommit) return Ok();
    waiting_ = 0;
    if (Status begun = Begin(); !begun) return begun;
    return writer_.Commit(profile);
  }

  ProfileWriter writer_;
  size_t waiting_ = 0;
  bool begun_ = false;
};

// Recording id. A merge treats profiles with equal ids as the same recording.
std::string IdOf(uint64_t hash) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id(16, '0');
  for (size_t i = id.size(); i-- > 0; hash >>= 4) id[i] = kDigits[hash & 15];
  return "import-" + id;
}

Status HashRest(ByteSource& source, uint64_t& hash) {
  while (!source.Next().empty()) {
  }
  hash = source.hash();
  return source.status();
}

Result<std::string> ReadTrace(TraceFormat format, const std::string& path, TraceGather& gather,
                              uint64_t& hash) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  Result<std::string> what = format == TraceFormat::kNsight
                                 ? ReadNsight(path, gather)
                                 : ReadChromeTrace(*source, path, gather);
  if (!what) return what;
  if (Status rest = HashRest(*source, hash); !rest) return rest.error();
  return what;
}

Result<std::string> ImportEvents(TraceFormat format, const std::string& path, Profile& profile,
                                 Output& output, uint64_t& hash) {
  TraceGather gather(profile);
  Result<std::string> what = ReadTrace(format, path, gather, hash);
  if (!what) return what;
  const Status made =
      gather.Finish([&](const EventTable& rows) { return output.Add(rows, profile); });
  if (!made) return Error{"'" + path + "': " + made.error().what, made.error().fix};
  return what;
}

template <class Reader>
Status ReadAll(ByteSource& source, Reader& reader) {
  for (std::span<const char> piece; !(piece = source.Next()).empty();) reader.Add(piece);
  reader.Finish();
  return source.status();
}

Result<std::string> ImportStacks(TraceFormat format, const std::string& path, Profile& profile,
                                 Output& output, uint64_t& hash) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  std::string what;
  int64_t found = 0;
  if (format == TraceFormat::kCollapsed) {
    CollapsedReader reader(profile);
    if (Status read = ReadAll(*source, reader); !read) return read.error();
    if (reader.has_two_values()) {
      return Error{"'" + path + "' has two values in each line: it compares two profiles",
                   "import the two files that it was made of, then compare with gprof-x diff"};
    }
    found = reader.has_values() ? reader.stacks() : 0;
    what = reader.is_austin() ? "austin" : "collapsed stacks";
    if (reader.scale() > 1) what += " (values times " + std::to_string(reader.scale()) + ")";
  } else {
    Status written = Ok();
    std::vector<SampleRow> rows;
    const auto flush = [&] {
      if (written && !rows.empty()) written = output.Add(rows, profile);
      rows.clear();
    };
    PerfScriptReader reader(profile, [&](const SampleRow& row) {
      rows.push_back(row);
      if (rows.size() == kRowsPerCommit) flush();
    });
    if (Status read = ReadAll(*source, reader); !read) return read.error();
    flush();
    if (!written) return written.error();
    found = reader.samples();
    what = "perf script";
  }
  if (found == 0) {
    return Error{"'" + path + "' holds no stacks that can be read as " + what,
                 std::string("name its format: --from ") + kTraceFormats};
  }
  hash = source->hash();
  return what;
}

bool IsSqlite(std::string_view head) { return head.starts_with("SQLite format 3"); }

std::string_view FirstPiece(ByteSource& source) {
  const std::span<const char> piece = source.Next();
  return {piece.data(), piece.size()};
}

// Files that are often met and cannot be read, by their first bytes: what they are and what to do.
std::optional<Error> KnownButNotRead(const std::string& path, std::string_view head) {
  using namespace std::literals;
  static constexpr struct {
    std::string_view head, what, fix;
  } kKnown[] = {
      {"PERFILE2"sv, "a recording of perf, which perf alone reads", "perf script -i FILE > TEXT"},
      {"PK\x03\x04"sv, "a zip archive", "unzip it, then import a trace in it"},
      {"\xfd"
       "7zXZ"sv,
       "compressed with xz", "xz -dk FILE"},
      {"\x28\xb5\x2f\xfd"sv, "compressed with zstd", "zstd -dk FILE"},
      {"NVR\0"sv, "a report of Nsight Compute",
       "ncu --import FILE --csv --page raw > TABLE, then "
       "gprof-x import --into PROFILE TABLE"},
      {"\x89HDF"sv, "an HDF5 file", "Nsight Systems: nsys export --type sqlite"},
      {"# callgrind format"sv, "a profile of callgrind", "callgrind_annotate reads it"}};
  for (const auto& known : kKnown) {
    if (!head.starts_with(known.head)) continue;
    return Error{"'" + path + "' is " + std::string(known.what),
                 std::string(known.fix) + (known.head == "PERFILE2" ? ", then import TEXT" : "")};
  }
  if (head.starts_with("BZh") && head.size() > 10 && head.substr(4, 6) == "1AY&SY") {
    return Error{"'" + path + "' is compressed with bzip2", "bzip2 -dk FILE"};
  }
  if (head.starts_with("MOJ") && head.size() > 3 && head[3] < ' ') {
    return Error{"'" + path + "' is a recording of austin in its binary form",
                 "mojo2austin FILE TEXT"};
  }
  constexpr size_t kTarMagic = 257;
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar")) {
    return Error{"'" + path + "' is a tar archive", "unpack it, then import a trace in it"};
  }
  const bool is_callgrind =
      (head.starts_with("version: ") || head.starts_with("creator: ") ||
       head.starts_with("events: ") || head.find("\nevents: ") != std::string_view::npos) &&
      head.find("\nfn=") != std::string_view::npos;
  if (is_callgrind) {
    return Error{"'" + path + "' is a profile of callgrind", "callgrind_annotate reads it"};
  }
  return std::nullopt;
}

// Each complete line votes. A thread's name may end with a number, so headers are checked first; a
// frame of a stack may look like the header of a sample without a time.
std::optional<TraceFormat> FormatOfLines(std::string_view head) {
  size_t headers = 0, stacks = 0, lines = 0;
  const auto take = [&](std::string_view line) {
    if (line.empty() || line.starts_with('#')) return;
    ++lines;
    headers += PerfScriptReader::IsHeader(line) ? 1 : 0;
    stacks += CollapsedReader::IsStack(line) ? 1 : 0;
  };
  for (size_t end; (end = head.find('\n')) != std::string_view::npos;) {
    take(head.substr(0, end));
    head.remove_prefix(end + 1);
  }
  take(head);
  if (headers > 0 && headers >= stacks) return TraceFormat::kPerfScript;
  if (stacks > 0 && stacks * 2 >= lines) return TraceFormat::kCollapsed;
  return std::nullopt;
}

}  // namespace

std::optional<TraceFormat> ParseTraceFormat(std::string_view name) {
  static constexpr std::pair<std::string_view, TraceFormat> kNames[] = {
      {"nsight", TraceFormat::kNsight},      {"kineto", TraceFormat::kChrome},
      {"jax", TraceFormat::kChrome},         {"perf", TraceFormat::kPerfScript},
      {"austin", TraceFormat::kCollapsed},   {"py-spy", TraceFormat::kCollapsed},
      {"collapsed", TraceFormat::kCollapsed}};
  for (const auto& [known, format] : kNames) {
    if (name == known) return format;
  }
  return std::nullopt;
}

Result<TraceFormat> DetectTraceFormat(const std::string& path) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  const std::string_view head = FirstPiece(*source);
  if (!source->status()) return source->status().error();
  if (IsSqlite(head)) return TraceFormat::kNsight;
  if (const auto known = KnownButNotRead(path, head)) return *known;
  if (head.find('\0') != std::string_view::npos) {
    return Error{"'" + path + "' is in no format that is known here",
                 "reports of Nsight Systems: nsys export --type sqlite"};
  }
  const size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos) {
    return Error{"'" + path + "' holds no text", "export it again"};
  }
  if (head[first] == '{' || head[first] == '[') return TraceFormat::kChrome;
  if (const auto stacks = FormatOfLines(head)) return *stacks;
  return Error{"'" + path + "' is in no format that is known here",
               std::string("name it: --from ") + kTraceFormats};
}

Result<Profile> ImportTrace(const ImportOptions& options) {
  TraceFormat format = options.format.value_or(TraceFormat::kChrome);
  if (!options.format) {
    const Result<TraceFormat> found = DetectTraceFormat(options.input);
    if (!found) return found.error();
    format = *found;
  }
  Result<Output> output = Output::Claim(options.output);
  if (!output) return output.error();
  Profile profile;
  uint64_t hash = 0;
  const bool has_events = format == TraceFormat::kNsight || format == TraceFormat::kChrome;
  const Result<std::string> what =
      (has_events ? ImportEvents : ImportStacks)(format, options.input, profile, *output, hash);
  if (!what) return what.error();
  profile.meta["imported_from"] = *what;
  profile.meta["recording_id"] = IdOf(hash);
  profile.meta["tool_version"] = options.tool_version;
  profile.meta["complete"] = "yes";
  if (Status written = output->Finish(profile); !written) return written.error();
  return profile;
}

}  // namespace gprofx::importers
