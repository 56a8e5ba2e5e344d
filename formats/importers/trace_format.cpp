#include "formats/importers/trace_format.h"

#include <span>
#include <utility>

#include "core/base/text.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/collapsed/stack_line.h"
#include "formats/importers/perf/perf_script.h"
#include "formats/importers/rocpd/rocpd.h"

namespace gprofx::importers {
namespace {

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
      {"PERFILE2"sv, "a recording of perf, which only perf reads",
       "run perf script -i FILE > TEXT"},
      {"PK\x03\x04"sv, "a zip archive", "unzip it, then import a trace from it"},
      {"\xfd"
       "7zXZ"sv,
       "compressed with xz", "run xz -dk FILE"},
      {"\x28\xb5\x2f\xfd"sv, "compressed with zstd", "run zstd -dk FILE"},
      {"NVR\0"sv, "a report of Nsight Compute",
       "run ncu --import FILE --csv --page raw > TABLE, then gprof-x import --into PROFILE TABLE"},
      {"\x89HDF"sv, "an HDF5 file", "export from Nsight Systems with nsys export --type sqlite"},
      {"# callgrind format"sv, "a profile of callgrind", "read it with callgrind_annotate"}};
  for (const auto& known : kKnown) {
    if (!head.starts_with(known.head)) continue;
    return Error{ErrorId::kOtherFormat, "'" + path + "' is " + std::string(known.what),
                 std::string(known.fix) + (known.head == "PERFILE2" ? ", then import TEXT" : "")};
  }
  if (head.starts_with("BZh") && head.size() > 10 && head.substr(4, 6) == "1AY&SY") {
    return Error{ErrorId::kOtherFormat, "'" + path + "' is compressed with bzip2",
                 "run bzip2 -dk FILE"};
  }
  if (head.starts_with("MOJ") && head.size() > 3 && head[3] < ' ') {
    return Error{ErrorId::kOtherFormat,
                 "'" + path + "' is a recording of austin in its binary form",
                 "run mojo2austin FILE TEXT, then import TEXT"};
  }
  constexpr size_t kTarMagic = 257;
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar")) {
    return Error{ErrorId::kOtherFormat, "'" + path + "' is a tar archive",
                 "unpack it, then import a trace from it"};
  }
  const bool is_callgrind =
      (head.starts_with("version: ") || head.starts_with("creator: ") ||
       head.starts_with("events: ") || head.find("\nevents: ") != std::string_view::npos) &&
      head.find("\nfn=") != std::string_view::npos;
  if (is_callgrind) {
    return Error{ErrorId::kOtherFormat, "'" + path + "' is a profile of callgrind",
                 "read it with callgrind_annotate"};
  }
  return std::nullopt;
}

// The first bytes of files of speedscope and of Firefox profiles tell what they are.
TraceFormat FormatOfJson(std::string_view head) {
  if (Contains(head, "speedscope.app/file-format-schema.json")) return TraceFormat::kSpeedscope;
  if (Contains(head, "\"preprocessedProfileVersion\"")) return TraceFormat::kFirefox;
  return TraceFormat::kChrome;
}

// Each complete line votes. A thread's name may end with a number, so lines of samples are checked
// first; a frame of a stack may look like the header of a sample without a time.
std::optional<TraceFormat> FormatOfLines(std::string_view head) {
  size_t samples = 0, stacks = 0, lines = 0;
  const auto take = [&](std::string_view line) {
    if (line.empty() || IsStackComment(line)) return;
    ++lines;
    samples += PerfScriptReader::IsSampleLine(line) ? 1 : 0;
    stacks += ParseStackLine(line) ? 1 : 0;
  };
  for (size_t end; (end = head.find('\n')) != std::string_view::npos;) {
    take(head.substr(0, end));
    head.remove_prefix(end + 1);
  }
  take(head);
  if (samples > 0 && samples >= stacks) return TraceFormat::kPerfScript;
  if (stacks > 0 && stacks * 2 >= lines) return TraceFormat::kCollapsed;
  return std::nullopt;
}

}  // namespace

std::optional<TraceFormat> ParseTraceFormat(std::string_view name) {
  static constexpr std::pair<std::string_view, TraceFormat> kNames[] = {
      {"nsight", TraceFormat::kNsight},         {"rocprof", TraceFormat::kRocpd},
      {"kineto", TraceFormat::kChrome},         {"jax", TraceFormat::kChrome},
      {"perf", TraceFormat::kPerfScript},       {"austin", TraceFormat::kCollapsed},
      {"py-spy", TraceFormat::kCollapsed},      {"collapsed", TraceFormat::kCollapsed},
      {"speedscope", TraceFormat::kSpeedscope}, {"firefox", TraceFormat::kFirefox}};
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
  if (IsSqlite(head)) return IsRocpd(path) ? TraceFormat::kRocpd : TraceFormat::kNsight;
  if (const auto known = KnownButNotRead(path, head)) return *known;
  if (head.find('\0') != std::string_view::npos) {
    return Error{ErrorId::kOtherFormat, "'" + path + "' is in an unknown binary format",
                 "export reports of Nsight Systems with nsys export --type sqlite"};
  }
  const size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos) {
    return Error{ErrorId::kEmptyFile, "'" + path + "' has no text", "export it again"};
  }
  if (head[first] == '{' || head[first] == '[') return FormatOfJson(head);
  if (const auto stacks = FormatOfLines(head)) return *stacks;
  return Error{ErrorId::kOtherFormat, "'" + path + "' is in an unknown format",
               std::string("name it with --from ") + kTraceFormats};
}

}  // namespace gprofx::importers
