#include "cli/mcp/ahead.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>

namespace gprofx {
namespace {

constexpr int kLessUrgent = 5;  // niceness: requests that arrive in the meantime have priority
constexpr useconds_t kLookUs = 1000;

}  // namespace

struct Ahead::Room {
  std::atomic<bool> is_made;
  uint32_t bytes;
  char text[kLongest];
};

// Runs in the child. If an answer is too long or is not completed, `is_made` of its room stays
// false.
void Ahead::Make(const Job& job, const Begun& begun) try {
  job.make([&](size_t key, const std::string& text) {
    Room& room = *begun.parts.at(key).room;
    if (text.size() > sizeof room.text) return;
    std::memcpy(room.text, text.data(), text.size());
    room.bytes = static_cast<uint32_t>(text.size());
    room.is_made.store(true, std::memory_order_release);
  });
} catch (const std::exception&) {  // out of memory
}

bool Ahead::IsRunning(Begun& job) { return !job.child.HasEnded(); }

void Ahead::Free(Part& part) {
  if (part.room != nullptr) munmap(part.room, sizeof(Room));
  part.room = nullptr;
}

void Ahead::Free(Begun& job) {
  job.child.End();
  for (Part& part : job.parts) Free(part);
}

void Ahead::End() {
  for (Begun& job : jobs_) Free(job);
  jobs_.clear();
}

bool Ahead::Begin(const std::vector<Job>& jobs) {
  if (std::any_of(jobs_.begin(), jobs_.end(), IsRunning)) return false;
  End();
  const pid_t parent = getpid();
  for (const Job& job : jobs) {
    Begun& begun = jobs_.emplace_back();
    for (const std::string& key : job.keys) {
      void* shared =
          mmap(nullptr, sizeof(Room), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (shared == MAP_FAILED) return false;
      begun.parts.push_back({key, static_cast<Room*>(shared)});
    }
    const pid_t pid = fork();
    begun.child = ChildProcess(pid);
    if (pid != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    setpriority(PRIO_PROCESS, 0, kLessUrgent);
    Make(job, begun);
    _exit(0);
  }
  return true;
}

std::optional<std::string> Ahead::TextOf(const Part& part) {
  if (part.room == nullptr || !part.room->is_made.load(std::memory_order_acquire))
    return std::nullopt;
  return std::string(part.room->text, std::min<size_t>(part.room->bytes, kLongest));
}

std::vector<Ahead::Made> Ahead::TakeMade() {
  std::vector<Made> made;
  for (size_t i = jobs_.size(); i-- != 0;) {
    if (IsRunning(jobs_[i])) continue;
    for (const Part& part : jobs_[i].parts) {
      if (std::optional<std::string> text = TextOf(part))
        made.push_back({part.key, std::move(*text)});
    }
    Free(jobs_[i]);
    jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(i));
  }
  return made;
}

std::optional<std::string> Ahead::Take(std::string_view key) {
  for (Begun& job : jobs_) {
    for (size_t i = 0; i < job.parts.size(); ++i) {
      Part& part = job.parts[i];
      if (part.key != key) continue;
      while (i == 0 && !TextOf(part) && IsRunning(job)) usleep(kLookUs);
      std::optional<std::string> text = TextOf(part);
      if (text) Free(part);
      const auto is_taken = [](const Part& one) { return one.room == nullptr; };
      if (std::all_of(job.parts.begin(), job.parts.end(), is_taken)) Free(job);
      return text;
    }
  }
  return std::nullopt;
}

}  // namespace gprofx
