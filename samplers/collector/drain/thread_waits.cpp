#include "samplers/collector/drain/thread_waits.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {
namespace {

constexpr HostNs kEvery = 100'000'000;
constexpr HostNs kLately = 3'000'000'000, kLongest = 1'000'000'000;
constexpr size_t kMaxThreads = 16;  // max threads that are read per process

// Returns word `n` of `text`, counted from 0, as a number.
std::optional<int64_t> NumberAt(std::string_view text, size_t n) {
  for (; n > 0; --n) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    text.remove_prefix(space + 1);
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? std::optional(number) : std::nullopt;
}

int64_t CpusOf(int64_t tid) {
  cpu_set_t mask;
  return sched_getaffinity(static_cast<pid_t>(tid), sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

}  // namespace

std::optional<int64_t> ReadyInSchedstat(std::string_view schedstat) {
  if (schedstat.starts_with("0 0 0")) return std::nullopt;
  return NumberAt(schedstat, 1);
}

std::optional<int64_t> FaultsInStat(std::string_view stat) {
  const size_t name_end = stat.rfind(')');  // the name in brackets may contain anything
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return std::nullopt;
  return NumberAt(stat.substr(name_end + 2), 9);
}

void ThreadWaits::Look(ProcessTable& processes, HostNs now) {
  if (now < next_) return;
  next_ = now + kEvery;
  for (const auto& process : processes.live()) {
    ProcessDrain& drain = process->drain;
    if (drain.gpu_entries() == 0) continue;
    size_t looks = 0;
    for (const SlotState& slot : drain.slots()) {
      if (!slot.thread || slot.tid == 0 || now - slot.last_sample > kLately) continue;
      if (looks++ == kMaxThreads) break;
      LookAt(drain.pid(), slot.tid, slot.thread, now);
    }
  }
}

void ThreadWaits::LookAt(int64_t pid, int64_t tid, ThreadId thread, HostNs now) {
  const auto schedstat = ReadSmallFile(ThreadPath(pid, tid, "schedstat"), 128);
  const auto stat = ReadSmallFile(ThreadPath(pid, tid, "stat"), 512);
  const std::optional<int64_t> ready = schedstat ? ReadyInSchedstat(*schedstat) : std::nullopt;
  const std::optional<int64_t> faults = stat ? FaultsInStat(*stat) : std::nullopt;
  // If the kernel does not count these values, or the thread has ended, they are unknown and not 0.
  // Make no row.
  if (!ready || !faults) return;
  Seen look;
  look.time = now;
  look.ready_ns = *ready;
  look.faults = *faults;
  const auto [before, is_new] = seen_.try_emplace(thread.value, look);
  if (is_new) return;
  // After a long gap it is unknown when the thread waited. Start over from this reading.
  if (now - before->second.time > kLongest) {
    before->second = look;
    return;
  }
  ThreadWaitEvent row;
  row.start = before->second.time;
  row.duration = now - row.start;
  row.thread = thread;
  row.ready_ns = std::clamp<int64_t>(look.ready_ns - before->second.ready_ns, 0, row.duration);
  row.faults = std::max<int64_t>(look.faults - before->second.faults, 0);
  row.cpus = CpusOf(tid);
  before->second = look;
  rows_.Append(row);
}

EventTable ThreadWaits::TakeRows() {
  EventTable rows(Stream::kThreadWaits);
  std::swap(rows, rows_);
  return rows;
}

}  // namespace gprofx
