#include "core/views/verdict/own_code.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/model/libraries.h"
#include "core/views/code/owners.h"
#include "core/views/naming/names.h"
#include "core/views/naming/seen_as.h"

namespace gprofx {
namespace {

struct Place {
  SeenAs::Lines lines;
  FrameId own;      // innermost frame of the program's own code; 0 = none
  FrameId entry;    // own frame called from foreign code, with only own code between it and `own`
  StringId callee;  // file or module of the first foreign frame below it; 0 = none
  bool importing = false;  // an import statement is on the path to the node
  bool at_import = false;  // an import statement is on the path above `own`
  bool imports = false;    // an import statement is between `own` and `callee`
};

// True for comprehensions and generators, which belong to the function that contains them.
bool IsPartOfItsCaller(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frame(id);
  if (frame.kind != FrameKind::kPython || !frame.function) return false;
  const std::string_view name = profile.Text(profile.function(frame.function).name);
  return name.ends_with("comp>") || name.ends_with("<genexpr>");
}

// True for code that runs between Python frames, which belongs to its caller.
bool IsBetween(const Profile& profile, const Frame& frame) {
  if (!frame.module) return frame.kind != FrameKind::kPython;
  const Module& module = profile.module(frame.module);
  return (module.flags & (kModuleIsPython | kModuleIsProfiler | kModuleIsVdso)) != 0 ||
         IsCRuntime(profile.Text(module.path));
}

StringId CalleeOf(const Profile& profile, FrameId id) {
  if (!id) return {};
  const Frame& frame = profile.frame(id);
  if (frame.kind == FrameKind::kPython) {
    const StringId file = FileOf(profile, frame);
    // Frozen code of the import machinery.
    return profile.Text(file).starts_with('<') ? StringId{} : file;
  }
  return IsBetween(profile, frame) ? StringId{} : profile.module(frame.module).path;
}

struct Sum {
  int64_t all = 0, at_import = 0;
  std::map<FrameId, int64_t> lines, entries;
  std::map<StringId, int64_t> callees, imports;
};

template <class Key>
std::pair<Key, int64_t> Largest(const std::map<Key, int64_t>& sums) {
  std::pair<Key, int64_t> largest{};
  for (const auto& [key, ns] : sums) {
    if (ns > largest.second) largest = {key, ns};
  }
  return largest;
}

// Returns the place of each node. If `only_user` is true, only the user's Python files are own
// code.
std::vector<Place> PlacesOf(const Profile& profile, bool only_user) {
  SeenAs seen(profile);
  return InheritDown<Place>(profile.nodes, [&](const Place& above, FrameId frame) {
    Place here = above;
    here.lines = seen(above.lines, frame);
    const bool import = frame && RunsImport(profile, profile.frame(frame));
    here.importing |= import;
    const FrameId own = only_user ? here.lines.user : here.lines.best();
    const bool is_own = frame && own == frame;
    if (is_own && !(above.own && IsPartOfItsCaller(profile, frame))) {
      if (!above.own || above.callee) here.entry = own;
      here.own = own;
      here.callee = {};
      here.at_import = here.importing;
      here.imports = false;
    } else if (!is_own && here.own && !here.callee) {
      here.imports |= import;
      here.callee = CalleeOf(profile, frame);
    }
    return here;
  });
}

// Sums the own functions of the threads that `counts` selects.
template <class Counts>
std::map<FunctionId, Sum> SumOwnFunctions(const Profile& profile, const std::vector<Place>& places,
                                          MetricId metric, const Counts& counts) {
  std::map<FunctionId, Sum> sums;
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node || value.self <= 0) continue;
    if (!counts(value.thread)) continue;
    const Place& place = places[value.node.index()];
    if (!place.own || !profile.frame(place.own).function) continue;
    Sum& sum = sums[profile.frame(place.own).function];
    sum.all = AddSaturated(sum.all, value.self);
    sum.lines[place.own] = AddSaturated(sum.lines[place.own], value.self);
    sum.entries[place.entry] = AddSaturated(sum.entries[place.entry], value.self);
    if (place.at_import) sum.at_import = AddSaturated(sum.at_import, value.self);
    if (!place.callee) continue;
    sum.callees[place.callee] = AddSaturated(sum.callees[place.callee], value.self);
    if (place.imports)
      sum.imports[place.callee] = AddSaturated(sum.imports[place.callee], value.self);
  }
  return sums;
}

std::map<std::string, int64_t> SumLibraries(const Profile& profile,
                                            const std::map<StringId, int64_t>& callees) {
  std::map<std::string, int64_t> libraries;
  for (const auto& [callee, ns] : callees) {
    int64_t& sum = libraries[LibraryOf(profile.Text(callee))];
    sum = AddSaturated(sum, ns);
  }
  return libraries;
}

// Returns the line of the function through which foreign code calls `own` for nearly all of its
// time, such as a test's fixture or the handler of a request. 0 if there is none or if it is `own`
// itself.
FrameId EntryOf(const Profile& profile, FunctionId own, const Sum& sum) {
  constexpr int64_t kPercent = 90;
  std::map<FunctionId, int64_t> functions;
  for (const auto& [line, ns] : sum.entries) {
    int64_t& all = functions[profile.frame(line).function];
    all = AddSaturated(all, ns);
  }
  const auto [function, ns] = Largest(functions);
  if (!function || function == own || ns / kPercent < sum.all / 100) return {};
  if (profile.Text(profile.function(function).name) == "<module>") return {};
  FrameId most;
  int64_t most_ns = 0;
  for (const auto& [line, line_ns] : sum.entries) {
    if (profile.frame(line).function != function || line_ns <= most_ns) continue;
    most = line;
    most_ns = line_ns;
  }
  return most;
}

}  // namespace

bool HasUserCode(const Profile& profile) {
  return std::any_of(profile.frames.begin(), profile.frames.end(), [&](const Frame& frame) {
    return frame.kind == FrameKind::kPython && frame.function &&
           IsUserPythonFile(profile.Text(FileOf(profile, frame)));
  });
}

OwnFunction HottestOwnFunction(const Profile& profile, MetricId metric) {
  const std::vector<Place> places = PlacesOf(profile, HasUserCode(profile));
  const std::map<FunctionId, Sum> sums =
      SumOwnFunctions(profile, places, metric, [](ThreadId) { return true; });
  const auto most = std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
    return a.second.all < b.second.all;
  });
  if (most == sums.end()) return {};
  const Sum& sum = most->second;
  OwnFunction out;
  out.line = Largest(sum.lines).first;
  out.ns = sum.all;
  out.entry = EntryOf(profile, most->first, sum);
  out.at_import_ns = sum.at_import;
  std::tie(out.library, out.library_ns) = Largest(SumLibraries(profile, sum.callees));
  out.library_import_ns = SumLibraries(profile, sum.imports)[out.library];
  return out;
}

OwnExcess LargestExcess(const Profile& profile, MetricId metric, const Ranks& ranks, size_t at) {
  const auto others = static_cast<int64_t>(ranks.ranks.size()) - 1;
  if (others < 1) return {};
  const auto rank_of = [&](ThreadId thread) {
    return thread ? ranks.of_thread[thread.index()] : Ranks::kNone;
  };
  const std::vector<Place> places = PlacesOf(profile, HasUserCode(profile));
  const auto here = SumOwnFunctions(profile, places, metric,
                                    [&](ThreadId thread) { return rank_of(thread) == at; });
  auto there = SumOwnFunctions(profile, places, metric, [&](ThreadId thread) {
    return rank_of(thread) != at && rank_of(thread) != Ranks::kNone;
  });
  OwnExcess most;
  for (const auto& [function, sum] : here) {
    Sum& other = there[function];
    const int64_t excess = sum.all - other.all / others;
    if (excess <= most.ns) continue;
    std::map<FrameId, int64_t> lines;
    for (const auto& [line, ns] : sum.lines) lines[line] = ns - other.lines[line] / others;
    most = {Largest(lines).first, excess};
  }
  return most;
}

}  // namespace gprofx
