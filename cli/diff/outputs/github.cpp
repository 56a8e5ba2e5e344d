// Formats annotations for GitHub. GitHub silently drops all but 10 errors and 10 warnings of a step
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxOfLevel = 10;
constexpr int kLongestTitle = 200, kLongestMessage = 2'000;

std::string Escaped(std::string_view text, std::string_view special) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : Printable(text)) {
    if (special.find(c) == std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

std::string Annotation(const Notice& notice, const OutputPlace& place) {
  std::string line = notice.level == NoticeLevel::kError ? "::error " : "::warning ";
  const SourcePlace source = PlaceOf(notice, place);
  if (source.is_ours) {
    line += "file=" + CommandProperty(source.path) + ",";
    if (source.line > 0) line += "line=" + std::to_string(source.line) + ",";
  }
  std::string text = notice.text;
  if (!source.is_ours && !notice.file.empty()) {
    text += ", at " + FitStart(Printable(notice.file), 300) +
            (notice.line > 0 ? ":" + std::to_string(notice.line) : "");
  }
  return line + "title=" + CommandProperty(FitEnd(Printable(notice.title), kLongestTitle)) +
         "::" + CommandText(FitEnd(Printable(text), kLongestMessage)) + "\n";
}

}  // namespace

// Printable text has no line ends, but they are escaped for safety.
std::string CommandText(std::string_view text) { return Escaped(text, "%\r\n"); }

std::string CommandProperty(std::string_view text) { return Escaped(text, "%\r\n:,"); }

std::string NoticesAnnotations(const std::vector<Notice>& notices, const OutputPlace& place) {
  std::string out;
  size_t of_level[2] = {0, 0}, more = 0;
  for (const Notice& notice : notices) {
    if (!notice.suppressed_by.empty()) continue;
    if (++of_level[static_cast<size_t>(notice.level)] > kMaxOfLevel) {
      ++more;
    } else {
      out += Annotation(notice, place);
    }
  }
  if (more > 0) {
    out += "::notice title=gprof-x::" +
           CommandText(Grouped(static_cast<int64_t>(more)) +
                       " more changes are in the summary of this job") +
           "\n";
  }
  return out;
}

std::string DiffAnnotations(const compare::Diff& diff, const DiffOptions& options,
                            const OutputPlace& place) {
  return NoticesAnnotations(NoticesOf(diff, options.settings), place);
}

}  // namespace gprofx
