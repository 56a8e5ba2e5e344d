#include "core/replay/threads.h"

#include <algorithm>

namespace gprofx {
namespace {

struct Turns {
  int64_t filled = 0, paused = 0;  // ns
};

struct Run {  // launches of a thread between two launches of the main thread
  HostNs begin = 0, end = 0;
  int64_t pause = 0;  // length of the main thread's pause around it, ns; 0 = none
};

}  // namespace

size_t EndOfTurn(std::span<const ThreadMoment> moments, size_t begin) {
  size_t end = begin;
  while (end < moments.size() && moments[end].thread == moments[begin].thread) ++end;
  return end;
}

std::unordered_map<uint32_t, uint32_t> JoinThreads(const Profile& profile,
                                                   std::span<const ThreadMoment> moments) {
  std::unordered_map<uint32_t, int64_t> launches;
  for (size_t i = 0, end = 0; i < moments.size(); i = end) {
    end = EndOfTurn(moments, i);
    launches[moments[i].thread.value] += static_cast<int64_t>(end - i);
  }
  if (launches.size() == 1) return {{moments[0].thread.value, moments[0].thread.value}};
  std::unordered_map<uint32_t, uint32_t> main_of;  // by process
  const auto process_of = [&](uint32_t thread) {
    return thread == 0 ? 0 : profile.thread(ThreadId{thread}).process.value;
  };
  for (const auto& [thread, count] : launches) {
    uint32_t& main = main_of.try_emplace(process_of(thread), thread).first->second;
    const int64_t most = launches[main];
    if (count > most || (count == most && thread < main)) main = thread;
  }
  std::unordered_map<uint32_t, HostNs> last_of_main;  // by process
  std::unordered_map<uint32_t, int64_t> pauses;       // by process
  std::unordered_map<uint32_t, Run> run;              // by thread
  std::unordered_map<uint32_t, Turns> turns;          // by thread
  // By process: threads with an open run.
  std::unordered_map<uint32_t, std::vector<uint32_t>> active;
  for (const ThreadMoment& moment : moments) {
    const uint32_t thread = moment.thread.value, process = process_of(thread);
    if (thread == main_of[process]) {
      const HostNs last = last_of_main[process];
      for (const uint32_t other : active[process]) {
        Turns& turn = turns[other];
        turn.filled += run[other].end - run[other].begin;
        turn.paused += moment.time - last;
      }
      active[process].clear();
      last_of_main[process] = moment.time;
      ++pauses[process];
      continue;
    }
    if (!last_of_main.contains(process)) continue;
    Run& here = run[thread];
    if (here.pause != pauses[process]) {
      here = {moment.time, moment.time, pauses[process]};
      active[process].push_back(thread);
    }
    here.end = moment.time;
  }
  std::unordered_map<uint32_t, uint32_t> out;
  for (const auto& [thread, count] : launches) {
    const auto turn = turns.find(thread);
    const bool joined = turn != turns.end() && turn->second.paused > 0 &&
                        turn->second.filled >= turn->second.paused / 2;
    out[thread] = joined ? main_of[process_of(thread)] : thread;
  }
  return out;
}

}  // namespace gprofx
