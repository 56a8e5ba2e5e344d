// Signal path. Stacks of CUDA calls that a thread made before: a training step repeats the same few
// hundred calls from the same places, at the same stack addresses.
//
// A remembered stack holds where its return addresses lie and a hash of them and of the chain of
// Python frames; it is taken for the present one if the words that are there now have the same hash:
// a nanosecond or two each instead of a walk, a merge and the look-up of nodes. What is read lies in
// the thread's stack and in its frames, which are warm; a program that launches forty thousand times
// a second pays for each other cache line, so an entry is three of them. Of the native frames outside
// of the innermost Python frame a quarter is looked at each time, another one the next: between two
// Python frames that are the same lie only the interpreter's own functions. A call that finds one of
// those changed is counted (kCallMemoStale): its latest ones may have been taken for others. Per
// thread, memory is mapped at the first call; entries die with the generation of the unwind rows
// (dlclose, fork).
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
  static constexpr uint32_t kMostNative = 184;
  static constexpr uint32_t kMostInner = 40;  // native frames that are always looked at
  static constexpr uint32_t kMostPython = 96;
  static constexpr uint32_t kOuterParts = 4;
  static constexpr uint32_t kSets = 256, kWays = 4;
  struct alignas(64) Entry {
    uint64_t generation;  // 0 = empty
    uint64_t sp;
    uint64_t hash;  // of the key, the Python frames and the inner native ones
    uint32_t node;
    uint8_t inner, outer, pythons;
    uint8_t part;  // of the outer ones, the next to look at
    uint64_t outer_hash[kOuterParts];
    uint16_t slots[kMostNative];  // of return addresses: words above sp
  };
  class Hash;
  static uint32_t SetOf(const Key& key);
  static bool HashPython(uint64_t frame, uint32_t links, Hash* hash);
  static bool HashNative(uint64_t sp, const uint16_t* slots, uint32_t count, Hash* hash);
  static bool HashOuter(const Entry& entry, uint32_t part, uint64_t* value);
  static bool HashInner(const Entry& entry, const Key& key, uint64_t* value);
  static bool StillThere(Entry& entry, const Key& key);
  static bool CountLinks(uint64_t frame, uint8_t* links);

  uint32_t next_way_[kSets];
  Entry entries_[kSets][kWays];
};

}  // namespace gprofx::agent
