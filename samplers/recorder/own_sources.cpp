#include "samplers/recorder/own_sources.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/model/python_files.h"
#include "samplers/recorder/gpu/gpu_sources.h"

namespace gprofx::recorder {
namespace {

StringId FileOf(const Profile& profile, const Frame& frame) {
  if (frame.file) return frame.file;
  return frame.function ? profile.function(frame.function).file : StringId{};
}

// Time by own Python file, of the innermost Python frame of each stack.
std::unordered_map<StringId, int64_t> TimeByFile(const Profile& profile, MetricId time) {
  std::vector<StringId> file_of(profile.nodes.size());  // parents come first
  for (size_t i = 0; i < file_of.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (node.parent) file_of[i] = file_of[node.parent.index()];
    if (!node.frame || profile.frame(node.frame).kind != FrameKind::kPython) continue;
    const StringId file = FileOf(profile, profile.frame(node.frame));
    if (IsUserPythonFile(profile.Text(file))) file_of[i] = file;
  }
  std::unordered_map<StringId, int64_t> sums;
  for (const Value& value : profile.values) {
    if (value.metric != time || !value.node || !file_of[value.node.index()]) continue;
    int64_t& sum = sums[file_of[value.node.index()]];
    sum = AddSaturated(sum, value.self);
  }
  return sums;
}

// Masks line by line, so that lines keep their numbers.
std::string MaskLines(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += MaskText(text.substr(begin, end - begin));
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace

void KeepOwnSources(MetricId time, Arguments arguments, Profile& profile) {
  if (arguments == Arguments::kLeftOut) return;
  std::vector<std::pair<int64_t, std::string>> files;
  for (const auto& [file, ns] : TimeByFile(profile, time)) {
    files.emplace_back(ns, profile.Text(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> paths;
  for (auto& [ns, path] : files) paths.push_back(std::move(path));
  const size_t before = profile.gpu.sources.size();
  KeepSources(paths, {kMaxOwnFile, kMaxOwnSources}, profile);
  for (size_t i = before; i < profile.gpu.sources.size(); ++i) {
    profile.gpu.sources[i].text = MaskLines(profile.gpu.sources[i].text);
  }
}

}  // namespace gprofx::recorder
