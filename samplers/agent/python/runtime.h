// Signal path. The CPython interpreter of this process: found when the module that holds it is
// first met in a stack, so that a linked, a static and a dlopen'ed (embedded, RTLD_LOCAL) libpython
// are all seen the same way. One interpreter per process at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/exec/elf_image.h"
#include "samplers/agent/python/layout.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

enum class GilState : uint8_t { kNoPython = 0, kHeld = 1, kReleased = 2 };

class PythonRuntime {
 public:
  // Looks for the interpreter in a module that was just registered. True if it holds one (supported
  // or not).
  bool Detect(const ElfImage& image);
  // In a fork child nothing changes but the module table: keeps what was found.
  bool found() const {
    return ready_.load(std::memory_order_acquire) && paused_.load(std::memory_order_acquire) == 0;
  }
  // Around dlclose(3): while an embedded interpreter may be going, no handler calls into it.
  void Pause() { paused_.fetch_add(1); }
  void Resume() { paused_.fetch_sub(1); }
  void AfterFork() { paused_.store(0); }  // another thread may have been in dlclose
  // The module at this base was unmapped: if it was the interpreter, there is none now.
  void ForgetModule(uint64_t base);
  const PyLayout& layout() const { return layout_; }

  // The PyThreadState of the calling thread, 0 = none. Calls PyGILState_GetThisThreadState: one
  // pthread_getspecific, no lock; it answers with the state bound to this OS thread also while the
  // GIL is released. _PyThreadState_UncheckedGet would need
  // __tls_get_addr from 3.12 on, which can allocate. Up to 3.11 a thread that runs in a
  // subinterpreter has another state there, of which PyGILState knows nothing: `inner` keeps it for
  // the time in which it releases the GIL.
  uint64_t ThisThread(uint64_t* inner, GilState* gil) const;

  // The innermost frame of a PyThreadState, 0 = none; the checked code object of a frame, 0 = it is
  // none; what the frame runs, as the interpreter stores it. By safe loads.
  uint64_t TopFrame(uint64_t thread) const;
  uint64_t CodeOf(uint64_t frame) const;
  bool LoadInstruction(uint64_t frame, uint64_t* out) const;

  bool IsEvalLoop(uint64_t pc) const {
    return pc - eval_begin_ < eval_size_ || pc - part_begin_.load(std::memory_order_acquire) <
                                                part_size_.load(std::memory_order_relaxed);
  }
  // Code that runs Python frames, where that is not within the function of this name: GCC 16 puts
  // most of the loop of CPython 3.14 apart, under no name. Found when a frame's place on the stack
  // lies in its frame. One stack may be misread: what is met kAgree times in a row is kept, for
  // good.
  void LearnEvalLoop(uint64_t pc);
  uint64_t code_type() const { return code_type_; }
  uint64_t cell_type() const { return cell_type_; }  // 0 = not known

 private:
  // Up to 3.11. Is `other` a state of the same thread as `state`? Is it still one of its
  // interpreter's?
  bool IsOfSameThread(uint64_t other, uint64_t state) const;
  bool IsListed(uint64_t state) const;
  // The state in which the thread of `bound` runs, and whether that holds the GIL.
  uint64_t InnerState(uint64_t bound, uint64_t* inner, bool* held) const;

  std::atomic<bool> ready_{false};
  std::atomic<bool> claimed_{false};
  std::atomic<uint32_t> paused_{0};
  uint64_t base_ = 0;  // of its module
  PyLayout layout_;
  uint64_t eval_begin_ = 0, eval_size_ = 0;
  static constexpr uint32_t kAgree = 8;
  std::atomic<uint64_t> candidate_{0};  // where that code begins
  std::atomic<uint32_t> agreed_{0};     // times in a row
  std::atomic<bool> learned_{false};
  std::atomic<uint64_t> part_begin_{0}, part_size_{0};  // the size is stored first
  uint64_t code_type_ = 0, cell_type_ = 0;
  uint64_t (*bound_)() = nullptr;  // PyGILState_GetThisThreadState
  uint64_t (*current_)() =
      nullptr;  // <= 3.11: _PyThreadState_UncheckedGet, a plain load of the GIL's holder
};

extern PythonRuntime g_python;

inline uint64_t PythonRuntime::ThisThread(uint64_t* inner, GilState* gil) const {
  *gil = GilState::kNoPython;
  uint64_t state = bound_();
  if (state == 0) return 0;
  bool held = false;
  if (current_ != nullptr) {
    state = InnerState(state, inner, &held);
  } else {
    uint32_t status = 0;
    SafeLoad(state + layout_.ts_status, &status);
    held = (status >> 4 & 1) != 0;
  }
  *gil = held ? GilState::kHeld : GilState::kReleased;
  return state;
}

inline uint64_t PythonRuntime::InnerState(uint64_t bound, uint64_t* inner, bool* held) const {
  const uint64_t holder = current_();
  *held = holder == bound;
  if (*held) *inner = 0;
  if (*held || (holder == 0 && *inner == 0)) return bound;
  if (holder != 0 && IsOfSameThread(holder, bound)) {
    *held = true;
    return *inner = holder;
  }
  if (*inner == 0) return bound;
  if (IsListed(*inner) && IsOfSameThread(*inner, bound) && TopFrame(*inner) != 0) return *inner;
  *inner = 0;
  return bound;
}

inline uint64_t PythonRuntime::TopFrame(uint64_t thread) const {
  uint64_t frame = 0;
  if (thread == 0 || !SafeLoad(thread + layout_.ts_frame, &frame)) return 0;
  const bool through_cframe = layout_.minor == 11 || layout_.minor == 12;
  if (through_cframe && !SafeLoad(frame + layout_.cf_current, &frame)) return 0;
  return frame;
}

inline bool PythonRuntime::LoadInstruction(uint64_t frame, uint64_t* out) const {
  if (layout_.minor > 10) return SafeLoad(frame + layout_.f_instruction, out);
  uint32_t last = 0;
  const bool read = SafeLoad(frame + layout_.f_instruction, &last);
  *out = last;
  return read;
}

}  // namespace gprofx::agent
