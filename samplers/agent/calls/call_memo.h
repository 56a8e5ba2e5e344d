// Signal path. Stacks of CUDA calls that a thread made before: a training step repeats the same few
// thousand calls from the same places, at the same stack addresses.
//
// A remembered stack is found by what is cheap to know of a call (Key) and holds where its return
// addresses lie. It is taken for the present one if the words that are there now have the same
// hash: a nanosecond or two each instead of a walk, a merge and the look-up of nodes. A program
// that launches forty thousand times a second pays for each cache line that is looked at, so
// - a stack that was the right one kProof times in a row is looked at in few words only (those next
//   to the CUDA call, native and Python; as many as tell it from others with its key: two calls of
//   one layer differ behind the wrappers around it), and in all of them one time in kTrustedLooks +
//   1, later in kProvenLooks + 1;
// - where no other stack has its key it is later taken by that alone, and looked at one time in
//   kByKey + 1, once it is long proven in kByLongKey + 1: what the program has in its caches
//   matters more than what the looks take. (Not in Python to 3.10, where a key does not tell which
//   function runs, and not where recording may cost what it does.) Distances between looks are
//   random: programs are periodic, and a look in every eighth call may never meet the other caller;
// - of the native frames outside of the innermost Python frame a quarter is looked at each time,
//   another one the next: between two Python frames that are the same lie only the interpreter's
//   own functions.
// A call is mostly followed by the one that followed it the last time, whose memory is fetched
// ahead and which is tried first. Else all of a set are asked: dozens of stacks may have one key,
// as where the blocks of a network call their layers from lines of their own. The modules of
// PyTorch that a stack calls are no part of what is remembered: layers that one line calls in a
// loop share an entry, and whose turn it is is read from the frames each time. Where two stacks
// differ though as many words are equal as ever are looked at, neither is ever trusted again; where
// their keys are equal, neither by its key. The calls that had been taken for it unseen before that
// was found out are counted (kCallMemoStale): as many may be on a wrong stack. Where a set is full,
// room is made by the second-chance method: calls that never come again do not push out those that
// come in each step. Per thread, memory is mapped at the first call; entries die with the
// generation of the unwind rows (dlclose, fork).
#pragma once

#include <cstdint>
#include <iterator>

#include "samplers/agent/calls/distance.h"
#include "samplers/agent/stacks/stack.h"

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
    uint64_t object;         // of the call, such as the kernel's handle
    uint32_t call;
  };
  static Key MakeKey(uint64_t sp, const PythonOwner& owner, uint32_t call, uint64_t object);

  // The node of the same stack, 0 = not known. The modules that its frames call are those of now.
  uint32_t Find(const Key& key, StackPath& path);
  // Remembers the stack that was just taken, if it is whole and not too deep.
  void Add(const Key& key, const ThreadState& state, const Stack& stack);

 private:
  static constexpr uint32_t kMaxNative = 180;
  static constexpr uint32_t kMaxInner = 40;  // native frames up to the innermost Python frame
  static constexpr uint32_t kMaxPython = 96;
  static constexpr uint32_t kOuterParts = 4;
  // The few words, at each depth more of them.
  struct Few {
    uint32_t native, python;
  };
  static constexpr Few kFew[] = {{8, 5}, {8, 12}, {24, 12}, {kMaxInner, 30}};
  static constexpr uint32_t kDepths = std::size(kFew);
  static constexpr uint8_t kProof = 16, kTrustedLooks = 7, kLongProof = 64, kProvenLooks = 31;
  static constexpr uint8_t kKeyProof = 24, kByKey = 7, kLongKeyProof = 40, kByLongKey = 47,
                           kKeyedLooks = 3;
  static constexpr uint32_t kCountedHits = 8;  // at once
  static constexpr uint32_t kSets = 128, kWays = 32;
  // All that is looked at of a call that is known by its key.
  struct alignas(16) Front {
    uint64_t tag;      // 0 = empty
    uint32_t node;     // without its layer
    uint16_t next;     // the entry of the call that came after it
    uint8_t key_left;  // calls to be taken for it by their key before the next look
    bool layered;      // it calls modules of PyTorch
  };
  struct alignas(64) Entry {
    uint64_t sp;
    uint64_t few[kDepths];  // hashes of the few words
    uint8_t inners, outers, pythons;
    uint8_t first;      // of the inner ones that is no frame of the driver or its libraries
    uint8_t part;       // of the outer ones, the next to look at
    uint8_t right;      // full looks in a row that found it right, up to kLongProof
    uint8_t by_key;     // calls taken for it since the latest look, by their key, as far as counted
    uint8_t key_gone;   // Front::key_left as they were counted
    uint8_t few_left;   // looks at the few words before the next full one
    uint8_t depth;      // of the few words that tell it from others with its key
    bool doubtful : 1;  // another stack has the same few words, whatever the depth
    bool shared : 1;    // or the same key
    bool used : 1;      // found since it was last thought of to make room
    uint16_t unlooked;  // calls taken for it since the latest full look
    uint64_t inner;     // hash of the Python frames and the inner native ones
    uint64_t outer[kOuterParts];  // hashes
    LayerCalls layers;
    uint16_t slots[kMaxNative];  // of return addresses: words above sp
  };
  class Hash;
  static uint64_t TagOf(const Key& key);
  uint32_t Look(uint64_t tag, const Key& key, StackPath& path);
  uint32_t NodeAt(uint32_t at, StackPath& path) const;
  void CountByKey(uint32_t at);
  static bool HashPython(uint64_t frame, uint32_t links, Hash* hash, uint64_t* rest);
  static bool HashNative(const Entry& entry, uint32_t begin, uint32_t end, Hash* hash);
  static bool HashFew(const Entry& entry, const Key& key, uint32_t depth, uint64_t* value);
  static bool HashInner(const Entry& entry, const Key& key, uint64_t* value);
  static bool HashOuter(const Entry& entry, uint32_t part, uint64_t* value);
  bool LooksRight(uint32_t at, const Key& key);
  static bool IsKnownByKey(const Entry& entry, const Key& key);
  void PlanLooks(uint32_t at, const Key& key, bool full);
  static bool IsRight(Entry& entry, const Key& key);
  static bool CountLinks(uint64_t frame, uint8_t* links);
  static bool Fill(Entry& entry, const Key& key, const WalkResult& walk);
  bool IsAt(uint32_t at, uint64_t tag, const Key& key, bool* others);
  void Follow(uint32_t at);
  void CountHits();
  static uint32_t FirstOf(uint64_t tag) { return (tag >> 32) % kSets * kWays; }  // of its set
  uint32_t MakeRoom(uint32_t first);
  static bool LookDeeper(Entry& entry, const Key& key);

  uint32_t last_;            // entry of the latest call
  uint32_t hits_;            // not counted yet
  uint32_t random_;          // of distances between looks
  uint8_t next_way_[kSets];  // to look at for room
  static_assert(kSets * kWays <= 1 << 16);
  Front fronts_[kSets * kWays];
  Entry entries_[kSets * kWays];
};

}  // namespace gprofx::agent
