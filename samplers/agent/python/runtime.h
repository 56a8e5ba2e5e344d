// Runs in signal handlers. Finds the CPython interpreter of this process and reads its state.
//
// The interpreter is detected when a stack first contains its module. Linked, static and dlopen'ed
// (embedded, RTLD_LOCAL) libpythons are thus all found in the same way. Only one interpreter per
// process is supported at a time.
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
  // Examines a newly registered module. Returns true if the module contains an interpreter,
  // supported or not.
  bool Detect(const ElfImage& image);
  // True if the interpreter was found and may be read now. A fork child keeps the result.
  bool found() const {
    return ready_.load(std::memory_order_acquire) && paused_.load(std::memory_order_acquire) == 0;
  }
  // Pause is called before dlclose(3) and Resume after it. In between, an embedded interpreter may
  // be unloaded, so no handler calls into it.
  void Pause() { paused_.fetch_add(1); }
  void Resume() { paused_.fetch_sub(1); }
  void AfterFork() { paused_.store(0); }  // another thread of the parent may have been in dlclose
  // Called when the module with load bias `base` was unmapped. If it contained the interpreter, the
  // process has none from now on.
  void ForgetModule(uint64_t base);
  const PyLayout& layout() const { return layout_; }

  // Returns the PyThreadState of the calling thread, 0 = none. Sets *gil to whether the thread
  // holds the GIL.
  //
  // Calls PyGILState_GetThisThreadState, which makes one pthread_getspecific and takes no lock. It
  // returns the state bound to this OS thread even while the GIL is released.
  // (_PyThreadState_UncheckedGet would need __tls_get_addr from 3.12 on, which can allocate.)
  //
  // Up to 3.11, a thread that runs in a subinterpreter has a second PyThreadState, which PyGILState
  // does not know. The function stores it in *inner, and finds it there while the thread releases
  // the GIL.
  uint64_t ThisThread(uint64_t* inner, GilState* gil) const;

  // TopFrame returns the innermost frame of a PyThreadState, 0 = none. CodeOf returns the verified
  // code object of a frame, 0 if it has none. LoadInstruction reads the frame's current instruction
  // as the interpreter stores it; false if it cannot be read. All use safe loads.
  uint64_t TopFrame(uint64_t thread) const;
  uint64_t CodeOf(uint64_t frame) const;
  bool LoadInstruction(uint64_t frame, uint64_t* out) const;

  bool IsEvalLoop(uint64_t pc) const {
    return pc - eval_begin_ < eval_size_ || pc - part_begin_.load(std::memory_order_acquire) <
                                                part_size_.load(std::memory_order_relaxed);
  }
  // Called with a `pc` whose native frame contains a Python frame's anchor (frames.h). The code
  // around it belongs to the eval loop, even if it is outside the function
  // _PyEval_EvalFrameDefault: GCC 16 moves most of the loop of CPython 3.14 into a part without a
  // symbol. IsEvalLoop is true for that code once it was seen kAgree times in a row, because one
  // stack may be misread. It then stays true.
  void LearnEvalLoop(uint64_t pc);
  uint64_t code_type() const { return code_type_; }
  uint64_t cell_type() const { return cell_type_; }  // 0 = unknown

 private:
  // For CPython up to 3.11. IsOfSameThread: true if `other` is a PyThreadState of the same thread
  // as `state`. IsListed: true if `state` is still in its interpreter's list.
  bool IsOfSameThread(uint64_t other, uint64_t state) const;
  bool IsListed(uint64_t state) const;
  // Returns the PyThreadState in which the thread that owns `bound` runs: `bound` itself, or that
  // of a subinterpreter. Sets *held to whether the thread holds the GIL.
  uint64_t InnerState(uint64_t bound, uint64_t* inner, bool* held) const;

  std::atomic<bool> ready_{false};
  std::atomic<bool> claimed_{false};
  std::atomic<uint32_t> paused_{0};
  uint64_t base_ = 0;  // load bias of its module
  PyLayout layout_;
  uint64_t eval_begin_ = 0, eval_size_ = 0;
  static constexpr uint32_t kAgree = 8;
  std::atomic<uint64_t> candidate_{0};  // start of the code range that may become part_begin_
  std::atomic<uint32_t> agreed_{0};     // times in a row that the candidate was seen
  std::atomic<bool> learned_{false};
  // Code range outside the function; the size is stored first.
  std::atomic<uint64_t> part_begin_{0}, part_size_{0};
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
