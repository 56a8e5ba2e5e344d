#include "samplers/recorder/own_sources.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/model/python_files.h"
#include "samplers/recorder/gpu/gpu_sources.h"

namespace gprofx::recorder {
namespace {

// Returns the time spent in each of the program's own Python files. The time of a stack counts for
// the file of its innermost frame that is in such a file. Leaves out a file if a process that is
// not in `readable` ran it.
std::unordered_map<StringId, int64_t> TimeByFile(const Profile& profile, MetricId time,
                                                 const std::vector<bool>& readable) {
  const auto may_read = [&](ThreadId thread) {
    const ProcessId process = thread ? profile.thread(thread).process : ProcessId{};
    return process && process.index() < readable.size() && readable[process.index()];
  };
  // By node: file of the innermost frame in an own file; parents come first.
  std::vector<StringId> file_of(profile.nodes.size());
  for (size_t i = 0; i < file_of.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (node.parent) file_of[i] = file_of[node.parent.index()];
    if (!node.frame || profile.frame(node.frame).kind != FrameKind::kPython) continue;
    const StringId file = FileOf(profile, profile.frame(node.frame));
    if (IsUserPythonFile(profile.Text(file))) file_of[i] = file;
  }
  std::unordered_map<StringId, int64_t> sums;
  std::unordered_set<StringId> others;
  for (const Value& value : profile.values) {
    if (value.metric != time || !value.node || !file_of[value.node.index()]) continue;
    const StringId file = file_of[value.node.index()];
    if (!may_read(value.thread)) others.insert(file);
    int64_t& sum = sums[file];
    sum = AddSaturated(sum, value.self);
  }
  std::erase_if(sums, [&](const auto& entry) { return others.contains(entry.first); });
  return sums;
}

}  // namespace

void KeepOwnSources(MetricId time, const std::vector<bool>& readable, Profile& profile) {
  std::vector<std::pair<int64_t, std::string>> files;
  for (const auto& [file, ns] : TimeByFile(profile, time, readable)) {
    files.emplace_back(ns, profile.Text(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> paths;
  for (auto& [ns, path] : files) paths.push_back(std::move(path));
  KeepSources(paths, {kMaxOwnFile, kMaxOwnSources}, profile);
}

}  // namespace gprofx::recorder
