#include "formats/importers/trace_format.h"

#include <span>
#include <utility>

#include "core/base/text.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/collapsed/stack_line.h"
#include "formats/importers/detect/unread_formats.h"
#include "formats/importers/perf/perf_script.h"
#include "formats/importers/rocpd/rocpd.h"

namespace gprofx::importers {
namespace {

bool IsSqlite(std::string_view head) { return head.starts_with("SQLite format 3"); }

std::string_view FirstPiece(ByteSource& source) {
  const std::span<const char> piece = source.Next();
  return {piece.data(), piece.size()};
}

// Returns the format of a JSON file. The first bytes of speedscope files and of Firefox profiles
// contain words that identify them.
TraceFormat FormatOfJson(std::string_view head) {
  if (Contains(head, "speedscope.app/file-format-schema.json")) return TraceFormat::kSpeedscope;
  if (Contains(head, "\"preprocessedProfileVersion\"")) return TraceFormat::kFirefox;
  return TraceFormat::kChrome;
}

Result<TraceFormat> FormatOfDatabase(const std::string& path) {
  switch (RocmDatabaseOf(path)) {
    case RocmDatabase::kRocpd:
      return TraceFormat::kRocpd;
    case RocmDatabase::kRocmProfileData:
      return Error{ErrorId::kOtherFormat,
                   "'" + path + "' is a trace of RocmProfileData, which gprof-x does not read",
                   "record with rocprofv3 --output-format rocpd"};
    default:
      return TraceFormat::kNsight;
  }
}

// Returns the format of a text file. Each complete line votes. Samples of perf are checked first:
// the name of a thread may end with a number, like a collapsed stack. A frame in a stack may look
// like the header of a sample without a time.
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
  if (IsSqlite(head)) return FormatOfDatabase(path);
  if (const auto known = UnreadFormat(path, head)) return *known;
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
