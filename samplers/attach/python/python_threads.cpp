#include "samplers/attach/python/python_threads.h"

#include <utility>

namespace gprofx::attach {
namespace {

constexpr int kMaxInterpreters = 4096, kMaxThreads = 1 << 12;
constexpr uint32_t kActive = 1 << 4;  // the bit PyThreadState._status.active
// The bits that a request sets in the eval breaker: _PY_EVAL_PLEASE_STOP_BIT,
// _PY_SIGNALS_PENDING_BIT, _PY_CALLS_TO_DO_BIT and _PY_ASYNC_EXCEPTION_BIT.
constexpr char kLookUp = 1 << 5 | 1 << 1 | 1 << 2 | 1 << 3;
constexpr uint32_t kYes = 1, kNo = 0;

std::string BytesOf(uint32_t word) { return {reinterpret_cast<const char*>(&word), sizeof word}; }

}  // namespace

PythonThreads::PythonThreads(uint64_t runtime, const PythonOffsets& offsets, ReadMemory read)
    : offsets_(offsets), read_(std::move(read)), runtime_(runtime) {
  uint64_t at = 0;
  if (!read_(runtime + offsets_.interpreters, &at, sizeof at)) return;
  for (int i = 0; i < kMaxInterpreters && at != 0; ++i) {
    int64_t id = -1;
    if (!read_(at + offsets_.interpreter_id, &id, sizeof id)) return;
    if (id == 0) break;
    if (!read_(at + offsets_.next_interpreter, &at, sizeof at)) return;
  }
  uint32_t allowed = 0;
  if (at == 0 || !read_(at + offsets_.allowed, &allowed, sizeof allowed)) return;
  interpreter_ = at;
  allowed_ = allowed == kYes;
}

bool PythonThreads::are_there() const {
  int64_t id = -1;
  return interpreter_ != 0 && read_(interpreter_ + offsets_.interpreter_id, &id, sizeof id) &&
         id == 0;
}

std::vector<PythonThread> PythonThreads::Look() const {
  std::vector<PythonThread> threads;
  uint64_t at = 0;
  if (interpreter_ == 0 || !read_(interpreter_ + offsets_.threads, &at, sizeof at)) return {};
  for (int i = 0; i < kMaxThreads && at != 0; ++i) {
    PythonThread thread;
    uint32_t status = 0;
    uint64_t next = 0;
    if (!read_(at + offsets_.thread_number, &thread.number, sizeof thread.number) ||
        !read_(at + offsets_.status, &status, sizeof status) ||
        !read_(at + offsets_.next_thread, &next, sizeof next)) {
      break;
    }
    thread.state = at;
    thread.inside = (status & kActive) != 0;
    // The last one is the oldest: new states are put at the front of the list.
    thread.is_first = next == 0;
    threads.push_back(thread);
    at = next;
  }
  return threads;
}

std::optional<std::vector<MemoryPart>> RunRequest(const PythonOffsets& offsets, uint64_t thread,
                                                  const std::string& path) {
  if (path.size() >= offsets.path_bytes) return std::nullopt;
  return std::vector<MemoryPart>{{thread + offsets.path, path + '\0'},
                                 {thread + offsets.pending, BytesOf(kYes)},
                                 {thread + offsets.breaker, std::string(1, kLookUp)}};
}

std::vector<MemoryPart> TakeBack(const PythonOffsets& offsets, uint64_t thread) {
  return {{thread + offsets.path, std::string(1, '\0')}, {thread + offsets.pending, BytesOf(kNo)}};
}

}  // namespace gprofx::attach
