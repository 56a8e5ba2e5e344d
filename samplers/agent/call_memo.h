// Signal path. Stacks of CUDA calls that a thread made before: a training step repeats the same few
// hundred calls from the same places, at the same stack addresses.
//
// A remembered stack holds where each return address lay and what it was, and what each Python frame
// ran. It is taken for the present one if these words are still there: two nanoseconds each instead
// of a walk, a merge and the look-up of nodes. A program that launches forty thousand times a second
// pays for each cache line that this touches. So the words lie packed in the order in which they are
// looked at, half of each (two libraries would have to be loaded 4 GiB apart to be mixed up), and of
// the native frames outside of the innermost Python frame a quarter is looked at each time, another
// one the next: between two Python frames that are the same, only the interpreter's own functions
// lie. A call that finds one of those changed is counted (kCallMemoStale): its latest ones may have
// been taken for others. Per thread, memory is mapped at the first call; entries die with the
// generation of the unwind rows (dlclose, fork).
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
  static constexpr uint32_t kMostInner = 40;  // native frames that are always looked at
  static constexpr uint32_t kOuterParts = 4;
  static constexpr uint32_t kSets = 256, kWays = 4;
  struct NativeWord {
    uint32_t slot;   // of the return address: bytes above the key's stack pointer
    uint32_t value;  // its lower half
  };
  struct PythonWord {
    uint64_t frame;
    uint32_t instruction;  // what it ran: lower half
    uint32_t code;         // likewise; 0 = the instruction alone tells
  };
  struct Entry {
    uint64_t generation;  // 0 = empty
    Key key;
    uint32_t node;
    uint16_t inner, outer, pythons;
    uint16_t part;  // of the outer words, the next one to look at
    uint64_t words[kMostNative + 2 * kMostPython];  // inner native, Python, outer native
    NativeWord* natives() { return reinterpret_cast<NativeWord*>(words); }
    PythonWord* python() { return reinterpret_cast<PythonWord*>(words + inner); }
    NativeWord* outers() { return reinterpret_cast<NativeWord*>(words + inner + 2 * pythons); }
  };
  static uint32_t SetOf(const Key& key);
  static bool Same(const Key& a, const Key& b);
  static bool StillThere(Entry& entry);
  static bool OuterStillThere(Entry& entry);
  static bool LoadPython(uint64_t frame, PythonWord* word);

  uint32_t next_way_[kSets];
  Entry entries_[kSets][kWays];
};

}  // namespace gprofx::agent
