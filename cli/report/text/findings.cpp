// Prints the findings that are stored in the file: the first ones, and the command that shows the
// others.
#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/text.h"
#include "core/base/path.h"
#include "core/views/naming/names.h"
#include "core/views/naming/seen_as.h"

namespace gprofx {
namespace {

constexpr size_t kMax = 2;
constexpr int kIndent = 10;

// Returns the range of a trace that contains a finding, such as ", enumerate(DataLoader)". Traces
// without Python stacks have such ranges. Returns "" if the innermost frame is not a range. `path`
// begins with the innermost frame.
std::string RangeText(const Profile& profile, const std::vector<FrameId>& path) {
  if (path.empty() || profile.frame(path.front()).kind != FrameKind::kOperator) return "";
  return ", " + Printable(FrameName(profile, profile.frame(path.front())));
}

std::string NodePlace(const Profile& profile, NodeId node) {
  std::vector<FrameId> path;
  for (; node && node.index() < profile.nodes.size(); node = profile.node(node).parent) {
    if (const FrameId frame = profile.node(node).frame) path.push_back(frame);
  }
  SeenAs seen(profile);
  SeenAs::Lines lines;
  std::for_each(path.rbegin(), path.rend(), [&](FrameId frame) { lines = seen(lines, frame); });
  if (!lines.python()) return RangeText(profile, path);
  const Frame& frame = profile.frame(lines.python());
  return ", " + Printable(BaseName(profile.Text(FileOf(profile, frame)))) +
         (frame.line == 0 ? "" : ":" + std::to_string(frame.line));
}

}  // namespace

std::string StoredFindingsText(const Page& page) {
  const std::vector<Finding>& findings = page.around.findings;
  const Profile& profile = page.view.profile;
  // Show them only for the default range, for which they were searched.
  const bool usual = !profile.part || !profile.part->chosen;
  if (findings.empty() || !usual || page.view.query.kind != ViewKind::kTop) return "";
  const char* of = profile.phases.trains.empty() ? " in all" : " a step";
  std::string out;
  for (size_t i = 0; i < std::min(findings.size(), kMax); ++i) {
    std::string line = i == 0 ? "findings: " : std::string(kIndent, ' ');
    line += "F" + std::to_string(i + 1) + " saves " + Duration(findings[i].saving_ns) + of + ": " +
            Printable(findings[i].rule) + NodePlace(profile, findings[i].node);
    out += (page.wide ? line : FitEnd(line, page.around.screen.columns)) + "\n";
  }
  const size_t more = findings.size() - std::min(findings.size(), kMax);
  return out + std::string(kIndent, ' ') +
         (more > 0 ? Grouped(static_cast<int64_t>(more)) + " more; " : "") +
         "gprof-x analyze --findings shows why\n";
}

}  // namespace gprofx
