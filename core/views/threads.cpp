#include "core/views/threads.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/cost/profiling_time.h"
#include "core/model/libraries.h"
#include "core/model/processes.h"
#include "core/views/naming/names.h"
#include "core/views/naming/process_titles.h"
#include "core/views/naming/short_arguments.h"
#include "core/views/naming/thread_pools.h"

namespace gprofx {
namespace {

void Add(ThreadRow& sum, const ThreadRow& row) {
  for (int64_t ThreadRow::*field :
       {&ThreadRow::self, &ThreadRow::samples, &ThreadRow::cpu_ns, &ThreadRow::lost_ns,
        &ThreadRow::cpu_gil, &ThreadRow::cpu_nogil, &ThreadRow::waiting}) {
    sum.*field = AddSaturated(sum.*field, row.*field);
  }
}

bool Larger(const ThreadRow& a, const ThreadRow& b) {
  if (a.self != b.self) return a.self > b.self;
  if (a.cpu_ns != b.cpu_ns) return a.cpu_ns > b.cpu_ns;
  return a.id < b.id;
}

struct ThreadSums {
  int64_t self = 0, samples = 0, gil = 0, no_gil = 0;
};

// Returns the sums of each thread over the stacks that the filters keep; [0] is time without a
// thread.
std::vector<ThreadSums> SumUp(const Profile& profile, MetricId metric, const Kept& kept) {
  // `metric` may be the same as one of the other metrics.
  const std::pair<MetricId, int64_t ThreadSums::*> fields[] = {
      {metric, &ThreadSums::self},
      {profile.FindMetric("samples"), &ThreadSums::samples},
      {profile.FindMetric("cpu_gil"), &ThreadSums::gil},
      {profile.FindMetric("cpu_nogil"), &ThreadSums::no_gil}};
  std::vector<ThreadSums> sums(profile.threads.size() + 1);
  for (const Value& value : profile.values) {
    if (!value.metric || !value.node || kept[value.node.index()] == 0) continue;
    for (const auto& [wanted, field] : fields) {
      if (value.metric != wanted) continue;
      int64_t& sum = sums[value.thread.value].*field;
      sum = AddSaturated(sum, value.self);
    }
  }
  return sums;
}

constexpr int64_t kWorks = 5;       // a thread works if more than 1/5 of its time is not waiting
constexpr int64_t kNothing = 1000;  // nearly idle: less than 1/1000 of the whole

void JudgeWaiting(ThreadRow& row) {
  row.waits = row.waiting > 0 && row.self - row.waiting <= row.self / kWorks;
}

void Describe(const Profile& profile, const ThreadPart& part, int64_t whole, ThreadRow& row) {
  row.waiting = part.waiting;
  if (part.waits_in) row.waits_in = FrameName(profile, profile.frame(part.waits_in));
  if (part.pool) row.pool = LibraryTitle(profile.Text(profile.module(part.pool).path));
  JudgeWaiting(row);
  const bool nothing = row.self < whole / kNothing || row.self == 0;
  row.quiet = !part.python && row.id != row.pid && (row.waits || nothing);
}

// Returns the thread's CPU time without the time that profiling took. In a corrected profile that
// time has already been subtracted.
int64_t OwnClock(const Profile& profile, size_t thread) {
  const int64_t clock = profile.threads[thread].cpu_ns;
  if (profile.corrected || thread >= profile.left_out.threads.size()) return clock;
  return std::max<int64_t>(SubtractSaturated(clock, profile.left_out.threads[thread].ns), 0);
}

struct Relatives {
  ThreadRow process;
  std::vector<ThreadRow> threads;
};

}  // namespace

ThreadTable ThreadRows(const Profile& profile, MetricId metric, const Kept& kept, RowsBy by) {
  const std::vector<ThreadSums> sums = SumUp(profile, metric, kept);

  const std::vector<ThreadPart> parts = ThreadParts(profile, metric, kept);
  int64_t whole = 0;
  for (const ThreadSums& sum : sums) whole = AddSaturated(whole, sum.self);
  const std::vector<std::string> titles = ProcessTitles(profile, metric);

  std::vector<Relatives> families(profile.processes.size() + 1);  // [0]: no known process
  for (size_t i = 0; i < profile.processes.size(); ++i) {
    ThreadRow& row = families[i + 1].process;
    row.id = row.pid = profile.processes[i].pid;
    const Process& process = profile.processes[i];
    row.name = titles[i].empty() ? profile.Text(process.name) : titles[i];
    if (titles[i].empty()) row.arguments = ShortArguments(row.name, profile.Text(process.command));
  }
  const std::vector<ProcessId> last = LastPrograms(profile);
  families[0].process.name = "[no process]";
  for (size_t i = 0; i <= profile.threads.size(); ++i) {
    ThreadRow row;
    uint32_t process = 0;
    if (i == 0) {
      if (sums[0].self == 0) continue;
      row.name = "[no thread]";
    } else if (IsLeftOut(profile, ThreadId{static_cast<uint32_t>(i)})) {
      continue;
    } else {
      const Thread& thread = profile.threads[i - 1];
      process = thread.process ? last[thread.process.index()].value : 0;
      row.id = thread.tid;
      row.name = profile.Text(thread.name);
      row.is_own = IsOwnThread(row.name);
      row.cpu_ns = OwnClock(profile, i - 1);
      row.lost_ns = thread.lost_ns;
    }
    row.pid = families[process].process.pid;
    row.self = sums[i].self;
    row.samples = sums[i].samples;
    row.cpu_gil = sums[i].gil;
    row.cpu_nogil = sums[i].no_gil;
    Describe(profile, parts[i], whole, row);
    Add(families[process].process, row);
    families[process].threads.push_back(std::move(row));
  }
  // Remove the rows of programs that exec replaced, and "[no process]" if it is empty.
  for (size_t i = last.size(); i-- > 0;) {
    if (last[i].index() != i) families.erase(families.begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
  if (families[0].threads.empty()) families.erase(families.begin());

  for (Relatives& family : families) {
    family.process.is_process = true;
    std::sort(family.threads.begin(), family.threads.end(), Larger);
  }
  std::stable_sort(families.begin(), families.end(), [](const Relatives& a, const Relatives& b) {
    return Larger(a.process, b.process);
  });

  ThreadTable table;
  table.has_gil = profile.FindMetric("cpu_gil") || profile.FindMetric("cpu_nogil");
  const bool only_processes = by == RowsBy::kProcess, only_threads = by == RowsBy::kThread;
  for (Relatives& family : families) {
    if (!only_threads) table.rows.push_back(std::move(family.process));
    if (only_processes) continue;
    std::move(family.threads.begin(), family.threads.end(), std::back_inserter(table.rows));
  }
  if (only_threads) std::sort(table.rows.begin(), table.rows.end(), Larger);
  return table;
}

void FoldThreads(ThreadTable& table) {
  std::vector<ThreadRow> rows;
  std::map<std::pair<int64_t, std::string>, size_t> places;  // (pid, pool) -> row
  const bool has_processes = std::any_of(table.rows.begin(), table.rows.end(),
                                         [](const ThreadRow& row) { return row.is_process; });
  if (!has_processes) return;
  for (ThreadRow& row : table.rows) {
    if (!row.quiet || row.is_process) {
      rows.push_back(std::move(row));
      continue;
    }
    const auto [found, made] = places.try_emplace({row.pid, row.pool}, rows.size());
    if (made) {
      rows.push_back(std::move(row));
    } else {
      ThreadRow& pool = rows[found->second];
      Add(pool, row);
      ++pool.threads;
      JudgeWaiting(pool);
      // Rows are sorted by time, so the first row of the pool is its largest. Its wait function is
      // shown.
      if (pool.waits_in.empty()) pool.waits_in = row.waits_in;
    }
  }
  table.rows = std::move(rows);
}

void CutThreads(ThreadTable& table, size_t most) {
  table.shown = std::min(table.rows.size(), most);
  const bool only_processes = std::all_of(table.rows.begin(), table.rows.end(),
                                          [](const ThreadRow& row) { return row.is_process; });
  table.rest = RestOf(table.rows, table.shown, [&](const ThreadRow& row) {
    return row.is_process && !only_processes ? 0 : row.self;
  });
}

}  // namespace gprofx
