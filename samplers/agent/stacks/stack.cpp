// Runs in signal handlers: no allocation, no locks, no exceptions, fixed memory, bounded loops.
#include "samplers/agent/stacks/stack.h"

#include "samplers/agent/python/autograd.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/layers.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/python/thread_name.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/stacks/modules.h"
#include "samplers/agent/stacks/rows.h"
#include "samplers/agent/stacks/warm_up.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kEntriesOfLine = 64 / sizeof(wire::SampleRecord);

void CountEnd(EndReason reason) {
  g_session.Count(wire::kTruncatedStacks);
  g_session.Count(
      static_cast<wire::Counter>(wire::kEndNoModule + static_cast<uint32_t>(reason) - 1));
}

// True if the walk ended in the code that switches greenlets. The stack of a greenlet is complete
// there, because the frames beyond it belong to another greenlet.
bool EndsGreenlet(const WalkResult& walk) {
  if (walk.end == EndReason::kComplete || walk.end == EndReason::kDepth || walk.count == 0)
    return false;
  const uint16_t module = walk.frames[walk.count - 1].module;
  return module != kNoModuleIndex &&
         (g_session.modules()[module].flags & wire::kWireModuleStackSwitch) != 0;
}

WalkResult WalkNative(ThreadState* state, const Registers& registers) {
  uint64_t generation = g_modules.generation();
  if (state->last_generation != generation) state->walk = {};
  state->last_generation = generation;
  state->walk = WalkInto(state->native, kMaxNativeFrames, registers, state->walk);
  if (EndsGreenlet(state->walk)) state->walk.end = EndReason::kComplete;
  return state->walk;
}

// Removes the leaf frames of the profiler, CUPTI and the driver.
WalkResult WithoutCudaFrames(WalkResult native) {
  while (native.count > 1 && IsCudaPlumbing(*native.frames)) {
    ++native.frames;
    --native.count;
  }
  return native;
}

void CountSample(const WalkResult& native, const PyWalkResult& python, const MergeResult& merged,
                 const PythonOwner& owner) {
  if (native.end != EndReason::kComplete) {
    CountEnd(native.end);
  } else if (python.cut) {
    CountEnd(EndReason::kDepth);
  }
  g_session.Count(wire::kNativeFrames, native.count);
  if (native.guessed != 0) g_session.Count(wire::kGuessedCallers, native.guessed);
  if (python.torn) g_session.Count(wire::kPythonTorn);
  if (python.count != 0) g_session.Count(wire::kPythonFrames, python.count);
  if (merged.by_address != 0) g_session.Count(wire::kMergeByAddress, merged.by_address);
  if (merged.by_count != 0) g_session.Count(wire::kMergeByCount, merged.by_count);
  if (merged.failed != 0) g_session.Count(wire::kMergeFailed, merged.failed);
  if (!g_python.found() || g_session.plan().python == 0) return;
  bool in_eval = false;
  for (uint32_t i = 0; i < native.count && !in_eval; ++i) {
    in_eval = g_python.IsEvalLoop(native.frames[i].pc);
  }
  if (in_eval) g_session.Count(wire::kPythonExpected);
  if (python.count != 0) {
    g_session.Count(wire::kPythonSamples);
  } else if (in_eval && (owner.thread == 0 || python.torn)) {
    // In the remaining case the interpreter reports that no frame runs. Then its loop is just being
    // entered or left, and nothing is missing.
    g_session.Count(wire::kPythonMissing);
  }
}

void CountCall(const WalkResult& native, const PyWalkResult& python) {
  g_session.Count(wire::kCallStacks);
  if (native.end != EndReason::kComplete || python.cut) g_session.Count(wire::kCallTruncated);
  if (python.torn) g_session.Count(wire::kCallPythonTorn);
}

// Records the name that Python has for the thread, if its outermost frame can be read. Tries that
// in a few samples only.
void NameThread(ThreadState* state, const PyWalkResult& python) {
  constexpr uint8_t kMaxTries = 8;
  if (state->name_tries >= kMaxTries || python.count == 0 || python.torn || python.cut) return;
  ++state->name_tries;
  const PyLayout& layout = g_python.layout();
  const uint64_t frame = state->python[python.count - 1].address;
  const uint64_t code = g_python.CodeOf(frame);
  uint64_t name = 0;
  if (code == 0) return;
  if (StartsThread(code, layout)) {
    name = NameOfThread(frame, layout);
    if (name == 0) return;
    state->ring->python_name.store(RecordText(name, layout), std::memory_order_release);
  }
  state->name_tries = kMaxTries;
}

// Returns the frames that call PyTorch modules, outermost first. If such a frame calls another one
// directly, they count as one call, because the inner one is a wrapper of the same module.
LayerCalls FindLayers(const ThreadState* state, const PyWalkResult& python) {
  LayerCalls layers;
  // Without the outer frames it is unknown in which module the stack begins. Return none then.
  if (python.module_calls == 0 || python.torn || python.cut) return layers;
  bool calls = false;
  for (uint32_t i = python.count; i-- > 0 && layers.count < kMaxLayers;) {
    const PyFrame& frame = state->python[i];
    if (frame.calls_module && !calls) layers.frames[layers.count++] = frame.address;
    calls = frame.calls_module;
  }
  return layers;
}

MergeResult Merge(ThreadState* state, const WalkResult& native, uint32_t python, NextStack* out) {
  return MergeStacks(
      native, state->python, python, state->owner, WireFrameOf,
      [](const NativeFrame& f) { return g_python.IsEvalLoop(f.pc); },
      [out](uint64_t frame) { out->Put(frame); });
}

// Tells g_python which native frame contains the anchor of the innermost Python frame: that frame's
// code belongs to the eval loop.
void LearnEvalLoop(const ThreadState* state, const WalkResult& native, const MergeResult& merged) {
  if (merged.by_address == 0 || merged.failed != 0 || state->python[0].anchor == 0) return;
  if (state->owner[0] < native.count) g_python.LearnEvalLoop(native.frames[state->owner[0]].pc);
}

// Puts `python` Python frames, which belong to another thread, into the stack, outermost first.
// Then puts our native frames.
void MergeBorrowed(ThreadState* state, const WalkResult& native, uint32_t python, NextStack* out) {
  for (uint32_t i = python; i-- > 0;) out->Put(state->python[i].frame);
  Merge(state, native, 0, out);
}

}  // namespace

WalkResult WalkInto(NativeFrame* buffer, uint32_t capacity, const Registers& registers,
                    const WalkResult& previous) {
  Walker walker(SafeMemory{}, g_rows, buffer, capacity);
  return walker.Walk(registers, previous);
}

PyWalkResult WalkPythonInto(PyFrame* buffer, uint32_t capacity, uint64_t thread) {
  ProcessCodes codes{g_python.layout()};
  PyWalker walker(SafeMemory{}, codes, g_python.layout(), g_python.code_type(), buffer, capacity);
  return walker.Walk(thread);
}

uint64_t WireFrameOf(const NativeFrame& frame) {
  if (frame.module == kNoModuleIndex) return wire::MakeAbsolute(frame.pc);
  return wire::MakeNative(frame.module, frame.pc - g_modules.BaseOf(frame.module));
}

bool IsCudaPlumbing(const NativeFrame& frame) {
  constexpr uint32_t kPlumbing = wire::kWireModuleProfiler | wire::kWireModuleCuda;
  return frame.module != kNoModuleIndex &&
         (g_session.modules()[frame.module].flags & kPlumbing) != 0;
}

[[gnu::hot]] PythonOwner OwnerForSample(ThreadState* state) {
  PythonOwner owner;
  if (!g_python.found() || g_session.plan().python == 0) return owner;
  owner.known = true;
  GilState gil;
  owner.thread = g_python.ThisThread(&state->python_inner, &gil);
  owner.gil = static_cast<uint16_t>(gil);
  state->python_thread.store(owner.thread, std::memory_order_relaxed);
  return owner;
}

[[gnu::hot]] PythonOwner OwnerForCall(ThreadState* state) {
  PythonOwner owner = OwnerForSample(state);
  if (!owner.known) return owner;
  owner.frame = g_python.TopFrame(owner.thread);
  if (owner.frame != 0) return owner;
  owner.thread = ThreadInAutograd(state);
  owner.frame = g_python.TopFrame(owner.thread);
  owner.borrowed = owner.thread != 0;
  return owner;
}

Stack TakeStack(ThreadState* state, const Registers& registers, StackOf what, PythonOwner owner) {
  Stack stack;
  if (owner.thread != 0) WarmUpPython(owner.thread);
  WalkResult native = WalkNative(state, registers);
  // Look for the interpreter again: the native walk may have just found its module.
  if (!owner.known) owner = what == StackOf::kSample ? OwnerForSample(state) : OwnerForCall(state);
  PyWalkResult python;
  if (owner.thread != 0) python = WalkPythonInto(state->python, kMaxPythonFrames, owner.thread);
  stack.flags = owner.gil;
  if (python.torn) stack.flags |= wire::kSamplePythonTorn;
  if (native.end != EndReason::kComplete || python.cut) stack.flags |= wire::kSampleTruncated;
  stack.python = state->python_count = python.count;
  state->layers = FindLayers(state, python);
  WarmUpLayers(state->layers);
  stack.whole =
      native.end == EndReason::kComplete && native.guessed == 0 && !python.cut && !python.torn;
  NextStack next(state->path);
  if (what == StackOf::kSample) {
    const MergeResult merged = Merge(state, native, python.count, &next);
    LearnEvalLoop(state, native, merged);
    CountSample(native, python, merged, owner);
    NameThread(state, python);
  } else {
    const WalkResult outside = WithoutCudaFrames(native);
    if (owner.borrowed) {
      MergeBorrowed(state, outside, python.count, &next);
    } else {
      Merge(state, outside, python.count, &next);
    }
    CountCall(native, python);
  }
  bool full = false;
  stack.node = StackNode(g_session, state->path, next, &full);
  stack.code = stack.node;
  if (full) {
    g_session.Count(wire::kStackTableFull);
  } else if (state->layers.count != 0) {
    stack.node = LayerNode(state->path, stack.code, state->layers);
  }
  return stack;
}

[[gnu::hot]] bool AppendRecord(ThreadState* state, int64_t time_ns, uint16_t flags, uint32_t node,
                               uint64_t weight) {
  wire::ThreadRing* ring = state->ring;
  if (weight > UINT32_MAX) weight = UINT32_MAX;
  uint64_t head = ring->head.load(std::memory_order_relaxed);
  const uint64_t tail = ring->tail.load(std::memory_order_acquire);
  uint64_t grown = ring->grown.load(std::memory_order_relaxed);
  if (grown == 0 && (flags & (wire::kRecordLaunch | wire::kRecordCall)) != 0 &&
      wire::RingMayGrow(head, tail)) {
    grown = head + 1;
    ring->grown.store(grown, std::memory_order_relaxed);
  }
  if (!wire::RingHasRoom(head, tail, grown)) return false;
  ring->entries[wire::RingIndex(head, grown)] = {wire::MakeWhen(time_ns, flags), node,
                                                 static_cast<uint32_t>(weight)};
  ring->head.store(head + 1, std::memory_order_release);
  // Prefetch the next cache line of the ring for writing. It may still be in the cache of the
  // collector's processor, and a later atomic operation would have to wait for it.
  machine::FetchToWrite(&ring->entries[wire::RingIndex(head + kEntriesOfLine, grown)]);
  return true;
}

bool AppendUnseen(ThreadState* state, int64_t time_ns, wire::Unseen why, uint64_t ip,
                  uint64_t weight) {
  // The sample takes two entries of the ring. Write neither if only one fits.
  const wire::ThreadRing& ring = *state->ring;
  const uint64_t head = ring.head.load(std::memory_order_relaxed),
                 tail = ring.tail.load(std::memory_order_acquire);
  if (!wire::RingHasRoom(head + 1, tail, ring.grown.load(std::memory_order_relaxed))) return false;
  const auto flags = static_cast<uint16_t>(wire::kRecordUnseen | static_cast<uint16_t>(why) << 8);
  return AppendRecord(state, time_ns, flags, static_cast<uint32_t>(ip), ip >> 32) &&
         AppendRecord(state, time_ns, wire::kSampleNoPython, 0, weight);
}

}  // namespace gprofx::agent
