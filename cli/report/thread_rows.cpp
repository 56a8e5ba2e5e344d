#include "cli/report/thread_rows.h"

#include <algorithm>
#include <utility>

#include "core/arithmetic.h"
#include "core/processes.h"

namespace gprofx {
namespace {

void Add(ThreadRow& sum, const ThreadRow& row) {
  for (int64_t ThreadRow::*field :
       {&ThreadRow::self, &ThreadRow::samples, &ThreadRow::cpu_ns, &ThreadRow::lost_ns,
        &ThreadRow::cpu_gil, &ThreadRow::cpu_nogil}) {
    sum.*field = AddSaturated(sum.*field, row.*field);
  }
}

bool Larger(const ThreadRow& a, const ThreadRow& b) {
  if (a.self != b.self) return a.self > b.self;
  if (a.cpu_ns != b.cpu_ns) return a.cpu_ns > b.cpu_ns;
  return a.id < b.id;
}

struct Family {
  ThreadRow process;
  std::vector<ThreadRow> threads;
};

}  // namespace

ThreadTable ThreadRows(const Analysis& analysis) {
  const Profile& profile = analysis.profile;
  const MetricId gil = profile.FindMetric("cpu_gil"), no_gil = profile.FindMetric("cpu_nogil");
  const std::vector<int64_t> self = SelfByThread(analysis, analysis.request.metric);
  const std::vector<int64_t> samples = SelfByThread(analysis, profile.FindMetric("samples"));
  const std::vector<int64_t> held = SelfByThread(analysis, gil);
  const std::vector<int64_t> released = SelfByThread(analysis, no_gil);

  std::vector<Family> families(profile.processes.size() + 1);  // [0]: of no known process
  for (size_t i = 0; i < profile.processes.size(); ++i) {
    ThreadRow& row = families[i + 1].process;
    row.id = row.pid = profile.processes[i].pid;
    row.name = profile.Text(profile.processes[i].name);
  }
  const std::vector<ProcessId> last = LastPrograms(profile);
  families[0].process.name = "[no process]";
  for (size_t i = 0; i <= profile.threads.size(); ++i) {
    ThreadRow row;
    uint32_t process = 0;
    if (i == 0) {
      if (self[0] == 0) continue;
      row.name = "[no thread]";
    } else {
      const Thread& thread = profile.threads[i - 1];
      process = thread.process ? last[thread.process.index()].value : 0;
      row.id = thread.tid;
      row.name = profile.Text(thread.name);
      row.cpu_ns = thread.cpu_ns;
      row.lost_ns = thread.lost_ns;
    }
    row.pid = families[process].process.pid;
    row.self = self[i];
    row.samples = samples[i];
    row.cpu_gil = held[i];
    row.cpu_nogil = released[i];
    Add(families[process].process, row);
    families[process].threads.push_back(std::move(row));
  }
  // Programs that a later one of the same process replaced, and "no process" if there is none.
  for (size_t i = last.size(); i-- > 0;) {
    if (last[i].index() != i) families.erase(families.begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
  if (families[0].threads.empty()) families.erase(families.begin());

  for (Family& family : families) {
    family.process.is_process = true;
    std::sort(family.threads.begin(), family.threads.end(), Larger);
  }
  std::stable_sort(families.begin(), families.end(),
                   [](const Family& a, const Family& b) { return Larger(a.process, b.process); });

  ThreadTable table;
  table.has_gil = static_cast<bool>(gil) || static_cast<bool>(no_gil);
  table.only_processes = analysis.options.by == RowsBy::kProcess;
  const bool only_threads = analysis.options.by == RowsBy::kThread;
  for (Family& family : families) {
    if (!only_threads) table.rows.push_back(std::move(family.process));
    if (table.only_processes) continue;
    std::move(family.threads.begin(), family.threads.end(), std::back_inserter(table.rows));
  }
  if (only_threads) std::sort(table.rows.begin(), table.rows.end(), Larger);
  return table;
}

}  // namespace gprofx
