// Signal path. Stacks of CUDA calls that a thread made before: a training step repeats the same few
// hundred calls from the same places, at the same stack addresses.
//
// A remembered stack holds where each return address lay and what it was, and the same for each
// Python frame. It is taken for the present one only if every one of these words is still there:
// two or three nanoseconds a frame instead of a walk, a merge and the look-up of nodes. Per thread,
// memory is mapped at the first call; entries die with the generation of the unwind rows (dlclose,
// fork).
#pragma once

#include <cstdint>

#include "samplers/agent/stack.h"

namespace gprofx::agent {

class CallMemo {
 public:
  // The memory of a thread; null when none can be had.
  static CallMemo* Make();

  // What is cheap to know about a stack before it is walked.
  struct Key {
    uint64_t sp;             // of our own frame
    uint64_t python_thread;  // whose Python frames, 0 = none
    uint64_t python_frame;   // its innermost frame
    uint64_t instruction;    // what that frame runs
    uint32_t call;
  };
  static Key MakeKey(const Registers& registers, const PythonOwner& owner, uint32_t call);

  // The node of the same stack; 0 = not known.
  uint32_t Find(const Key& key);
  // Remembers the stack that was just taken, if it is whole and not too deep.
  void Add(const Key& key, const ThreadState& state, const Stack& stack);

 private:
  static constexpr uint32_t kMostNative = 192, kMostPython = 64;
  static constexpr uint32_t kSets = 128, kWays = 4;
  struct NativeWord {
    uint64_t slot;  // address of the return address
    uint64_t value;
  };
  struct PythonWords {
    uint64_t frame, code, instruction, back;
  };
  struct Entry {
    uint64_t generation;  // 0 = empty
    Key key;
    uint32_t node, natives, pythons;
    NativeWord native[kMostNative];
    PythonWords python[kMostPython];
  };
  static uint32_t SetOf(const Key& key);
  static bool Same(const Key& a, const Key& b);
  static bool StillThere(const Entry& entry);

  uint32_t next_way_[kSets];
  Entry entries_[kSets][kWays];
};

}  // namespace gprofx::agent
