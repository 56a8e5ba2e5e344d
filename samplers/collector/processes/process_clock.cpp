#include "samplers/collector/processes/process_clock.h"

#include <algorithm>
#include <limits>

#include "core/cost/profiling_time.h"
#include "samplers/collector/drain/drain_bounds.h"

namespace gprofx {
namespace {

constexpr int64_t kUnseenTicks = 20;

int64_t BoundedCpu(int64_t ns) { return std::clamp<int64_t>(ns, 0, kMaxCpuNs); }

}  // namespace

ProcessClocks::ProcessClocks(Profile& profile, const Metrics& metrics, bool wall_clock,
                             int64_t tick_ns)
    : profile_(profile),
      metrics_(metrics),
      wall_clock_(wall_clock),
      most_unseen_ns_(kUnseenTicks * tick_ns) {}

// Returns the first thread of a process, whose id is that of the process. If several rows have that
// id, the last one is meant, because rows are only appended. Adds a row if there is none.
ThreadId ProcessClocks::MainThread(ProcessId process) {
  const int64_t pid = profile_.process(process).pid;
  for (size_t i = profile_.threads.size(); i-- > 0;) {
    const Thread& thread = profile_.threads[i];
    if (thread.process == process && thread.tid == pid)
      return ThreadId{static_cast<uint32_t>(i + 1)};
  }
  Thread thread;
  thread.process = process;
  thread.tid = pid;
  thread.name = profile_.process(process).name;
  thread.start = profile_.process(process).start;
  thread.end = std::max(profile_.process(process).end, thread.start);
  profile_.threads.push_back(thread);
  return ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

void ProcessClocks::GiveAt(ThreadId thread, NodeId node, int64_t ns, HostNs time,
                           std::vector<SampleRow>& rows) {
  profile_.AddSelf(node, thread, metrics_.time, ns);
  accounted_ns_ += ns;
  SampleRow row;
  row.time = window_.Within(time);
  row.thread = thread;
  row.node = node;
  row.state = kStateRest;
  row.weight = static_cast<uint32_t>(std::min<int64_t>(ns, std::numeric_limits<uint32_t>::max()));
  rows.push_back(row);
}

void ProcessClocks::Give(Life& life, std::string_view what, int64_t ns, HostNs time,
                         std::vector<SampleRow>& rows, ThreadId thread) {
  if (ns <= 0) return;
  life.given += ns;
  if (!window_.Holds(time)) return;
  if (!thread) thread = life.thread;
  profile_.threads[thread.index()].cpu_ns += ns;
  GiveAt(thread, ProcessNode(profile_, what), ns, time, rows);
}

void ProcessClocks::ProgramEnded(const ProcessDrain& drain, User user, HostNs end,
                                 std::vector<SampleRow>& rows) {
  if (wall_clock_) return;
  const wire::ProcessHeader& header = drain.region().header();
  Life& life = lives_[drain.pid()];
  const bool first = !life.process;
  if (first && user == User::kOwn)
    by_parent_[profile_.process(drain.process()).parent_pid].push_back(drain.pid());
  life.process = drain.process();
  life.thread = MainThread(life.process);
  life.last = drain.main_node();
  const int64_t start_ns = BoundedCpu(header.start_cpu_ns);
  const int64_t end_ns = BoundedCpu(header.end_cpu_ns.load(std::memory_order_relaxed));
  // CPU time that was used before the agent entered the process does not belong to this profile.
  if (first && header.late != 0) life.given = start_ns;
  const auto own_ns = static_cast<int64_t>(std::min<uint64_t>(
      header.counters[wire::kOwnCpuNs].load(std::memory_order_relaxed), kMaxCpuNs));
  const HostNs start = profile_.process(life.process).start;
  Give(life, first && header.forked != 0 ? "[fork]" : "[exec and loading]", start_ns - life.given,
       start, rows);
  Give(life, kOwnStart, own_ns, start, rows);
  life.given = std::min(life.given + drain.closed_clocks_ns(), kMaxCpuNs);
  life.ended = end_ns > 0;
  life.goes_unsampled = life.ended && header.goes_unsampled.load(std::memory_order_relaxed) != 0;
  const ThreadId worker = drain.only_worker();
  if (life.ended)
    Give(life, worker ? kUringWorker : "[outside of sampled threads]", end_ns - life.given, end,
         rows, worker);
  int64_t& children = children_[drain.pid()];
  children = std::max(children, BoundedCpu(header.children_cpu_ns.load(std::memory_order_relaxed)));
}

void ProcessClocks::Appears(const Process& process, User user) {
  const int64_t pid = process.pid;
  present_[pid] = process.start;
  if (user == User::kOwn && !present_.contains(process.parent_pid))
    orphans_.insert({process.start, pid});
  const auto old = lives_.find(pid);
  if (old == lives_.end() || !old->second.process) return;
  lives_.erase(old);
  children_.erase(pid);
}

void ProcessClocks::Take(const ProcessNoteCopy& note, std::vector<SampleRow>& rows) {
  if (wall_clock_) return;
  const int64_t ns = BoundedCpu(note.cpu_ns);
  switch (note.kind) {
    case wire::kNoteForked: {
      present_[note.pid] = note.time;
      Life& life = lives_[note.pid];
      // The region of the child, or that of a program which the child ran, may have been found
      // before this note was read. If so, keep what is known.
      if (!life.process || profile_.process(life.process).start < note.time) {
        life = Life{};
        life.start = note.time;
        life.fork_ns = ns;
        children_.erase(note.pid);
      }
      life.from = note.from;
      break;
    }
    case wire::kNoteExec:
      lives_[note.pid].execs = true;
      break;
    case wire::kNoteEnd:
      lives_[note.pid].end_ns = ns;
      break;
    case wire::kNoteReaped: {
      Reaped(note, ns, rows);
      int64_t& children = children_[note.from];
      children = std::min(children + ns, kMaxCpuNs);
      break;
    }
  }
}

void ProcessClocks::Reaped(const ProcessNoteCopy& note, int64_t used_ns,
                           std::vector<SampleRow>& rows) {
  const int64_t pid = note.pid;
  const HostNs now = note.time;
  if (const auto children = children_.find(pid); children != children_.end()) {
    used_ns = std::max<int64_t>(used_ns - children->second, 0);
    children_.erase(children);
  }
  const auto found = lives_.find(pid);
  // A process that was killed did not report the time of the children that it had waited for. Take
  // that time out here.
  if (const auto own = by_parent_.find(pid); own != by_parent_.end() && found != lives_.end() &&
                                             found->second.process && !found->second.ended) {
    for (const int64_t child : own->second) {
      if (child != pid) TakeOut(child, &used_ns);
    }
  }
  if (found == lives_.end()) {
    // The process was never seen, but it started after its parent did. If its parent is not
    // recorded, it is the recorded command itself.
    const auto parent = present_.find(note.from);
    CountUnsampled(pid, used_ns, parent == present_.end() ? 0 : parent->second, now);
  } else if (Life& life = found->second;
             !life.process && (life.execs || used_ns > most_unseen_ns_)) {
    CountUnsampled(pid, used_ns, life.start, now);
  } else if (life.goes_unsampled) {
    CountUnsampled(pid, used_ns - life.given, profile_.process(life.process).start, now);
  } else if (!life.process) {
    ShortChild(pid, life, used_ns, now, rows);
  } else if (life.ended || !life.last) {
    Give(life, life.ended ? "[exit]" : kTooShort, used_ns - life.given, now, rows);
  } else if (const int64_t rest = used_ns - life.given; rest > 0 && window_.Holds(now)) {
    // The process was killed. Most of the remaining time passed since its latest sample, so count
    // it there.
    profile_.threads[life.thread.index()].cpu_ns += rest;
    GiveAt(life.thread, life.last, rest, now, rows);
  }
  lives_.erase(pid);
  by_parent_.erase(pid);
  present_.erase(pid);
}

// Called for a sampled process that has ended. Subtracts from *ns its time and that of the children
// that it waited for. Then discards these numbers, so that they are subtracted only once.
void ProcessClocks::TakeOut(int64_t pid, int64_t* ns) {
  const auto life = lives_.find(pid);
  if (life == lives_.end()) return;
  const auto children = children_.find(pid);
  *ns -= std::min(*ns, life->second.given);
  if (children != children_.end()) *ns -= std::min(*ns, children->second);
  lives_.erase(life);
  children_.erase(pid);
}

// Subtracts from *ns the time of sampled processes that have ended and whose parent was never seen,
// because the parent is not sampled. Takes only processes that started at or after `since` and used
// at most *ns.
void ProcessClocks::TakeOrphansOut(int64_t pid, HostNs since, int64_t* ns) {
  for (auto at = orphans_.lower_bound({since, 0}); at != orphans_.end();) {
    const int64_t child = at->second;
    const auto life = lives_.find(child);
    const bool may_be = child != pid && life != lives_.end() && life->second.ended &&
                        life->second.process && life->second.from == 0 && life->second.given <= *ns;
    if (may_be) TakeOut(child, ns);
    at = may_be ? orphans_.erase(at) : std::next(at);
  }
}

// Counts a process that was not sampled. Two kinds of time are part of `used_ns` and are
// subtracted: that of sampled children, whose end this process reported to nobody, and that of
// sampled processes below other processes that are not sampled.
void ProcessClocks::CountUnsampled(int64_t pid, int64_t used_ns, HostNs since, HostNs now) {
  int64_t ns = std::max<int64_t>(used_ns, 0);
  if (const auto own = by_parent_.find(pid); own != by_parent_.end()) {
    for (const int64_t child : own->second) TakeOut(child, &ns);
  }
  TakeOrphansOut(pid, since, &ns);
  if (!window_.Holds(now)) return;
  ++unsampled_;
  unsampled_ns_ = std::min(unsampled_ns_ + ns, kMaxCpuNs);
}

// Adds a fork child to the profile that ended before it got a sample. Its program is that of its
// parent.
void ProcessClocks::ShortChild(int64_t pid, Life& life, int64_t used_ns, HostNs now,
                               std::vector<SampleRow>& rows) {
  if (!window_.Holds(now)) return;
  Process process;
  process.pid = pid;
  process.parent_pid = life.from;
  for (size_t i = profile_.processes.size(); i-- > 0;) {
    if (profile_.processes[i].pid != life.from) continue;
    process.name = profile_.processes[i].name;
    process.command = profile_.processes[i].command;
    break;
  }
  process.start = life.start;
  process.end = now;
  profile_.processes.push_back(process);
  life.process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
  life.thread = MainThread(life.process);
  const int64_t forked_ns = std::min(life.fork_ns, used_ns);
  const int64_t end_ns = life.end_ns == 0 ? used_ns : std::clamp(life.end_ns, forked_ns, used_ns);
  Give(life, "[fork]", forked_ns, now, rows);
  Give(life, "[exit]", used_ns - end_ns, now, rows);
  profile_.threads[life.thread.index()].cpu_ns += end_ns - forked_ns;
  short_threads_.Wait({process.name, true, true}, life.thread, end_ns - forked_ns, now);
}

std::vector<int64_t> ProcessClocks::WithoutRegion() const {
  std::vector<int64_t> pids;
  for (const auto& [pid, life] : lives_) {
    if (!life.process && life.end_ns == 0 && !life.execs) pids.push_back(pid);
  }
  return pids;
}

void ProcessClocks::Finish(std::vector<SampleRow>& rows) {
  for (const ShortThreads::Time& time : short_threads_.Rest()) {
    const NodeId node = time.node ? time.node : ProcessNode(profile_, kTooShort);
    GiveAt(time.thread, node, time.ns, time.end, rows);
  }
}

}  // namespace gprofx
