#include "samplers/attach/safe_point.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/model/ids.h"
#include "samplers/attach/forked_children.h"
#include "samplers/attach/python/entry_script.h"
#include "samplers/attach/python/python_offsets.h"
#include "samplers/attach/python/python_threads.h"
#include "samplers/attach/target_folder.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"
#include "samplers/wire/attach.h"

namespace gprofx::attach {
namespace {

constexpr HostNs kAskFor = 1'000 * kNsPerMillisecond;  // total time for all requests
// Give up after this time if no thread is inside the interpreter.
constexpr HostNs kIdleFor = 100 * kNsPerMillisecond;
// Time after which another thread is asked, because another one may run by then.
constexpr HostNs kOneWaits = 50 * kNsPerMillisecond;
// Minimum age of a thread that is asked. A younger one may end at any moment.
constexpr HostNs kKnownFor = 10 * kNsPerMillisecond;
// Time in which only other threads are asked. The main thread comes last, because it runs signal
// handlers.
constexpr HostNs kOthersFirst = 30 * kNsPerMillisecond;
// Time for a thread that has taken the request to load the agent.
constexpr HostNs kAnswerWithin = 5'000 * kNsPerMillisecond;
// Time for a thread that has just taken the request to open the script. After that time the script
// has been emptied.
constexpr HostNs kOpensWithin = 200 * kNsPerMillisecond;
// Time limit for all forked children. A program can create any number of them, each with a long
// list of threads.
constexpr HostNs kChildrenWithin = 2'000 * kNsPerMillisecond;
constexpr char kScriptFile[] = "enter.py", kAnswerFile[] = "answer", kAgentFile[] = "agent";

std::optional<PythonOffsets> ReadOffsets(const RemoteMemory& memory, uint64_t runtime) {
  std::array<std::byte, kPythonOffsetsBytes> bytes;
  return memory.Get(runtime, &bytes) ? ReadPythonOffsets(bytes) : std::nullopt;
}

ReadMemory ReaderOf(const RemoteMemory& memory) {
  return [&memory](uint64_t at, void* to, size_t n) { return memory.Read(at, to, n); };
}

bool HasThread(const PythonThreads& threads, uint64_t state) {
  const std::vector<PythonThread> now = threads.Look();
  return std::any_of(now.begin(), now.end(),
                     [=](const PythonThread& thread) { return thread.state == state; });
}

class Asking {
 public:
  Asking(int64_t process, const RemoteMemory& memory, const PythonOffsets& offsets,
         const PythonThreads& threads, const TargetFolder& folder, const SafePointSetup& setup)
      : process_(process),
        memory_(memory),
        offsets_(offsets),
        threads_(threads),
        folder_(folder),
        setup_(setup) {}

  std::optional<EntryAnswer> Ask() {
    const HostNs begin = MonotonicNs();
    others_until_ = begin + kOthersFirst;
    HostNs busy = begin;
    while (MonotonicNs() < begin + kAskFor && MonotonicNs() < busy + kIdleFor && !GaveUp()) {
      const auto thread = Choose();
      if (!thread || !Post(*thread)) {
        Pause();
        continue;
      }
      busy = MonotonicNs();
      if (WaitUntilTaken(*thread)) return WaitForAnswer(kAnswerWithin);
      if (const auto late = TakeBackFrom(*thread)) return late;
      busy = MonotonicNs();
    }
    return std::nullopt;
  }

  std::optional<EntryAnswer> Answer() const {
    return ReadAnswer(folder_.Read(kAnswerFile), process_);
  }
  // Withdraws the request from children that were forked with it. Returns true if there were any.
  // Such a child may be about to open the script.
  bool TakeBackFromChildren(const ProcessHandle& process) const {
    bool found = false;
    if (asked_.empty()) return false;
    const HostNs until = MonotonicNs() + kChildrenWithin;
    for (const ProcessHandle& child : ForkedChildrenOf(process)) {
      if (MonotonicNs() > until) break;
      const RemoteMemory memory(child);
      for (const uint64_t state : asked_) {
        if (!WasForkedWithRequest(memory, state)) continue;
        found = true;
        if (HasRequest(memory, state) == true) memory.WriteInOrder(TakeBack(offsets_, state));
      }
    }
    return found;
  }
  void Rest(HostNs time) const {
    if (asked_.empty()) return;
    const HostNs until = MonotonicNs() + time;
    while (MonotonicNs() < until) Pause();
  }

 private:
  bool GaveUp() const { return setup_.give_up != nullptr && setup_.give_up->load(); }
  void Pause() const {
    if (setup_.serve) setup_.serve();
    const timespec pause{0, kNsPerMillisecond / 2};
    nanosleep(&pause, nullptr);
  }

  // Returns a thread that is inside the interpreter. Returns none if there is no such thread that
  // has existed long enough.
  std::optional<PythonThread> Choose() {
    const HostNs now = MonotonicNs();
    const std::vector<PythonThread> look = threads_.Look();
    std::optional<PythonThread> chosen;
    std::vector<Known> known;
    for (const PythonThread& thread : look) {
      const auto before = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
        return k.state == thread.state && k.number == thread.number;
      });
      const HostNs since = before == known_.end() ? now : before->since;
      known.push_back({thread.state, thread.number, since});
      if (thread.is_first && look.size() > 1 && now < others_until_) continue;
      if (thread.inside && (thread.is_first || now - since >= kKnownFor)) chosen = thread;
    }
    known_ = std::move(known);
    return chosen;
  }

  bool Post(const PythonThread& thread) {
    if (HasRequest(memory_, thread.state) != false) return false;
    const auto request = RunRequest(offsets_, thread.state, folder_.PathOf(kScriptFile));
    if (!request || !IsTheSame() || !IsThere(thread)) return false;
    asked_.push_back(thread.state);  // recorded first, in case only part of it is written
    if (memory_.WriteInOrder(*request)) return true;
    if (IsThere(thread)) memory_.WriteInOrder(TakeBack(offsets_, thread.state));
    return false;
  }

  // True if the process still runs the program whose offsets were read.
  bool IsTheSame() const {
    return ReadOffsets(memory_, threads_.runtime()) == offsets_ && threads_.are_there();
  }

  // True if the thread still exists. If it does not, its state may be freed and the memory reused.
  bool IsThere(const PythonThread& thread) const {
    const std::vector<PythonThread> now = threads_.Look();
    return std::any_of(now.begin(), now.end(), [&](const PythonThread& other) {
      return other.state == thread.state && other.number == thread.number;
    });
  }

  // Returns whether the thread with this state still has the request. Returns none if the memory
  // cannot be read.
  std::optional<bool> HasRequest(const RemoteMemory& memory, uint64_t state) const {
    uint32_t pending = 0;
    if (!memory.Get(state + offsets_.pending, &pending)) return std::nullopt;
    return pending != 0;
  }

  bool IsTaken(const PythonThread& thread) const {
    return HasRequest(memory_, thread.state) == false;
  }

  // True if this is the memory of a child that was forked with the request. Only such a child has
  // the script's name at this address. The thread must also exist there.
  bool WasForkedWithRequest(const RemoteMemory& memory, uint64_t state) const {
    const std::string path = folder_.PathOf(kScriptFile);
    std::string there(path.size(), '\0');
    if (!memory.Read(state + offsets_.path, there.data(), there.size()) || there != path)
      return false;
    return HasThread(PythonThreads(threads_.runtime(), offsets_, ReaderOf(memory)), state);
  }

  // Waits until the thread has taken the request. Returns false if it does not do so in time or no
  // longer exists. A thread that no longer exists has either run nothing or answered.
  bool WaitUntilTaken(const PythonThread& thread) const {
    const HostNs until = MonotonicNs() + kOneWaits;
    while (IsThere(thread)) {
      if (IsTaken(thread)) return true;
      if (MonotonicNs() > until || GaveUp()) return false;
      Pause();
    }
    return false;
  }

  std::optional<EntryAnswer> WaitForAnswer(HostNs time) const {
    const HostNs until = MonotonicNs() + time;
    while (!GaveUp() && MonotonicNs() < until) {
      if (const auto answer = Answer()) return answer;
      if (!threads_.are_there()) return std::nullopt;
      Pause();
    }
    return Answer();
  }

  // Withdraws the request from the thread. Returns the answer if the thread gave one.
  //
  // The thread may reach its safe point at the same moment, where it clears the flag first and then
  // copies the path. So the path is cleared first here. If the thread has cleared the flag by then,
  // it may have the complete path.
  std::optional<EntryAnswer> TakeBackFrom(const PythonThread& thread) const {
    if (!IsThere(thread)) return Answer();
    const std::vector<MemoryPart> parts = TakeBack(offsets_, thread.state);
    memory_.WriteInOrder({parts[0]});
    if (IsTaken(thread)) return WaitForAnswer(kOpensWithin);
    memory_.WriteInOrder({parts[1]});
    return std::nullopt;
  }

  struct Known {
    uint64_t state, number;
    HostNs since;
  };
  const int64_t process_;  // PID of the process in its own PID namespace
  const RemoteMemory& memory_;
  const PythonOffsets& offsets_;
  const PythonThreads& threads_;
  const TargetFolder& folder_;
  const SafePointSetup& setup_;
  std::vector<Known> known_;
  HostNs others_until_ = 0;
  std::vector<uint64_t> asked_;  // PyThreadStates to which a request was sent
};

// Returns the threads of the first interpreter that accepts requests, and sets *offsets. Returns
// none if there is no such interpreter.
std::optional<PythonThreads> FindInterpreter(const RemoteMemory& memory,
                                             const LoadedObjects& objects, PythonOffsets* offsets) {
  for (const uint64_t runtime : objects.FindData("_PyRuntime")) {
    const auto found = ReadOffsets(memory, runtime);
    if (!found) continue;
    PythonThreads threads(runtime, *found, ReaderOf(memory));
    *offsets = *found;
    if (threads.allowed()) return threads;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> EnterAtSafePoint(const ProcessHandle& handle, const RemoteMemory& memory,
                                         const LoadedObjects& objects,
                                         const SafePointSetup& setup) {
  PythonOffsets offsets;
  const auto threads = FindInterpreter(memory, objects, &offsets);
  const auto process = NumberForItself(handle.Read("status", 1 << 16).value_or(""));
  if (!threads || !process) return std::nullopt;
  const auto folder = TargetFolder::Make(handle);
  if (!folder) return std::nullopt;
  EntryFiles files{setup.agent, setup.copy, folder->PathOf(kAnswerFile)};
  if (setup.copy) files.agent = folder->PathOf(kAgentFile);
  if ((setup.copy && !folder->PutCopy(kAgentFile, setup.agent)) || !folder->Put(kAnswerFile, "") ||
      !folder->Put(kScriptFile, EntryScript(files))) {
    return std::nullopt;
  }
  Asking asking(*process, memory, offsets, *threads, *folder, setup);
  auto answer = asking.Ask();
  // Empty the script. A child that was forked with the request and handles it later then runs
  // nothing.
  folder->Empty(kScriptFile);
  const bool children = asking.TakeBackFromChildren(handle);
  if (!answer || children) asking.Rest(kOpensWithin);
  if (children) asking.TakeBackFromChildren(handle);
  if (!answer) answer = asking.Answer();
  if (!answer) return std::nullopt;
  const bool ours = answer->request != 0 && answer->version == wire::kAttachVersion;
  return ours ? std::optional(answer->request) : std::nullopt;
}

}  // namespace gprofx::attach
