#include "core/views/naming/process_titles.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/model/inherit.h"
#include "core/model/processes.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

// Functions in which worker processes wait for work, by suffix of the file and name. An empty title
// means that the worker is named after the function that the loop calls.
constexpr struct {
  std::string_view file, function, title;
} kLoops[] = {
    {"/torch/utils/data/_utils/worker.py", "_worker_loop", "pt_data_worker"},
    {"/torch/multiprocessing/spawn.py", "_wrap", ""},
    {"/multiprocessing/pool.py", "worker", "multiprocessing.Pool"},
    {"/concurrent/futures/process.py", "_process_worker", "ProcessPoolExecutor"},
    {"/loky/process_executor.py", "_process_worker", "loky"},
};

constexpr std::string_view kGunicornMaster = "gunicorn (master)";

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool RunsProcess(std::string_view file, std::string_view function) {
  return LastPart(function) == "run" &&
         (file.ends_with("/multiprocessing/process.py") || file.ends_with("/billiard/process.py"));
}

// Finds the role of each call path and numbers the roles; 0 = none.
class Roles {
 public:
  explicit Roles(const Profile& profile) : profile_(profile), titles_(1) {}

  struct Place {
    uint32_t role = 0;
    bool starts = false;  // the next Python frame is the function that the process runs
  };

  Place operator()(Place above, FrameId id) {
    if (!id) return above;
    const Frame& frame = profile_.frame(id);
    if (frame.kind != FrameKind::kPython) return above;
    const Sort sort = SortOf(frame);
    if (sort == Sort::kRuns) return {above.role, true};
    if (above.starts) return Started(FrameFile(profile_, frame), NameOf(frame));
    if (sort == Sort::kGunicornWorker) return {Number("gunicorn")};
    if (sort == Sort::kGunicorn && above.role == 0) return {Number(kGunicornMaster)};
    return {above.role, false};
  }

  std::string_view title(uint32_t role) const { return titles_[role]; }

 private:
  enum class Sort : uint8_t { kOther, kRuns, kGunicorn, kGunicornWorker };

  std::string_view NameOf(const Frame& frame) const {
    return frame.function ? profile_.Text(profile_.function(frame.function).name) : "";
  }

  // Returns the kind of a Python frame's function. Each function is classified once.
  Sort SortOf(const Frame& frame) {
    const auto [found, asked] = sorts_.try_emplace(frame.function.value, Sort::kOther);
    if (!asked) return found->second;
    const std::string_view file = FrameFile(profile_, frame);
    if (RunsProcess(file, NameOf(frame))) {
      found->second = Sort::kRuns;
    } else if (file.find("/gunicorn/workers/") != std::string_view::npos) {
      found->second = Sort::kGunicornWorker;
    } else if (file.ends_with("/gunicorn/arbiter.py")) {
      found->second = Sort::kGunicorn;
    }
    return found->second;
  }

  Place Started(std::string_view file, std::string_view function) {
    for (const auto& loop : kLoops) {
      if (!file.ends_with(loop.file) || LastPart(function) != loop.function) continue;
      return loop.title.empty() ? Place{0, true} : Place{Number(loop.title)};
    }
    return {Number(LastPart(function))};
  }

  uint32_t Number(std::string_view title) {
    const auto [found, made] = numbers_.try_emplace(title, static_cast<uint32_t>(titles_.size()));
    if (made) titles_.push_back(title);
    return found->second;
  }

  const Profile& profile_;
  std::vector<std::string_view> titles_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::unordered_map<uint32_t, Sort> sorts_;  // by function
};

// Returns for each process the title of the role with most time. A gunicorn worker starts as a copy
// of its master, so the role of master counts only if the process has no other.
std::vector<std::string_view> WorkOf(const Profile& profile, MetricId metric) {
  Roles roles(profile);
  const std::vector<Roles::Place> places = InheritDown<Roles::Place>(
      profile.nodes, [&](Roles::Place above, FrameId frame) { return roles(above, frame); });
  std::map<std::pair<uint32_t, uint32_t>, int64_t> weights;  // (process, role)
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node || !value.thread) continue;
    const uint32_t role = places[value.node.index()].role;
    const ProcessId process = profile.thread(value.thread).process;
    if (role == 0 || !process) continue;
    int64_t& weight = weights[{process.value, role}];
    weight = AddSaturated(weight, value.self);
  }
  std::vector<std::string_view> work(profile.processes.size());
  std::vector<int64_t> most(work.size());
  for (const auto& [key, weight] : weights) {
    const size_t process = key.first - 1;
    const std::string_view title = roles.title(key.second);
    const bool better = work[process].empty() || work[process] == kGunicornMaster ||
                        (title != kGunicornMaster && weight > most[process]);
    if (!better) continue;
    work[process] = title;
    most[process] = weight;
  }
  return work;
}

using Siblings = std::vector<size_t>;  // processes with the same parent and role

// Sets the titles of `siblings`, such as "worker 3 of 4: pt_data_worker". `of` is appended to each
// title. It names the parent process, or is "" if that is not needed.
void NumberSiblings(const Profile& profile, Siblings& siblings, std::string_view title,
                    const std::string& of, std::vector<std::string>& titles) {
  std::sort(siblings.begin(), siblings.end(), [&](size_t a, size_t b) {
    const Process &one = profile.processes[a], &other = profile.processes[b];
    return std::tie(one.start, one.pid) < std::tie(other.start, other.pid);
  });
  for (size_t begin = 0; begin < siblings.size();) {
    // A worker that starts after all previous ones have ended begins a new group, as in a new
    // epoch.
    HostNs ended = kEarliest;
    size_t end = begin;
    for (; end < siblings.size(); ++end) {
      const Process& next = profile.processes[siblings[end]];
      if (end != begin && next.start >= ended) break;
      const HostNs until = next.end > 0 ? next.end : kLatest;
      ended = std::max(ended, until);
    }
    for (size_t i = begin; i < end; ++i) {
      titles[siblings[i]] = "worker " + std::to_string(i - begin + 1) + " of " +
                            std::to_string(end - begin) + ": " + std::string(title) + of;
    }
    begin = end;
  }
}

// Returns the part of a title that names another process: " of train.py rank 1". "" if that process
// is unknown.
std::string OfProcess(const Profile& profile, SourceId source, int64_t pid) {
  for (size_t i = profile.processes.size(); i-- > 0;) {
    const Process& process = profile.processes[i];
    if (process.pid != pid || process.source != source) continue;
    return " of " + std::string(profile.Text(process.name));
  }
  return "";
}

}  // namespace

std::vector<std::string> ProcessTitles(const Profile& profile, MetricId metric) {
  const std::vector<std::string_view> work = WorkOf(profile, metric);
  const std::vector<ProcessId> last = LastPrograms(profile);
  std::vector<std::string> titles(work.size());
  std::map<std::tuple<SourceId, int64_t, std::string_view>, Siblings> families;
  for (size_t i = 0; i < work.size(); ++i) {
    if (work[i].empty() || last[i].index() != i) continue;
    const Process& process = profile.processes[i];
    if (work[i] == kGunicornMaster) {
      titles[i] = work[i];
    } else {
      families[{process.source, process.parent_pid, work[i]}].push_back(i);
    }
  }
  std::map<std::string_view, size_t> parents;
  for (const auto& [key, siblings] : families) ++parents[std::get<2>(key)];
  for (auto& [key, siblings] : families) {
    const auto& [source, parent, title] = key;
    const std::string of = parents[title] > 1 ? OfProcess(profile, source, parent) : "";
    NumberSiblings(profile, siblings, title, of, titles);
  }
  return titles;
}

}  // namespace gprofx
