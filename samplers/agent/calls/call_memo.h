// Caches the stacks of a thread's CUDA calls: a training step repeats the same few thousand calls
// from the same places, at the same stack addresses. Runs within these calls, with the rules of
// signal handlers: no allocation (except Make), no locks, bounded loops.
//
// An entry is found by data that is cheap to get for a call (Key). It holds the addresses at which
// the stack keeps its return addresses, and a hash of the words there. The entry matches the
// present stack if the hash of these words is the same. That costs a nanosecond or two per word,
// instead of a walk, a merge and a lookup of nodes. A program that launches forty thousand times a
// second pays for each cache line that is read. Three rules reduce their number:
//   - After an entry was right kProof times in a row, most checks read only a few words: the native
//     and Python words nearest to the CUDA call, as many as distinguish the entry from others with
//     its key. (Two calls of one layer differ only beyond the wrappers around it.) All words are
//     checked one time in kTrustedLooks + 1, later in kProvenLooks + 1.
//   - An entry that shares its key with no other stack is later matched by the key alone. It is
//     checked one time in kByKey + 1, and after a long proof in kByLongKey + 1. A check evicts data
//     of the program from the caches, which costs more than the check itself. This rule is not used
//     in CPython up to 3.10, where a key does not identify the running function, and not if the
//     recording has no cost limit. Distances between checks are random: programs are periodic, and
//     a check of every eighth call may never meet the other caller.
//   - Of the native frames outside the innermost Python frame, each check covers a different
//     quarter. The frames between two equal Python frames are only the interpreter's own functions.
//
// Most calls are followed by the same call as last time. The entry of that call is prefetched and
// tried first. If it does not match, all entries of the set that the key maps to are tried. Dozens
// of stacks may share a key, for example if the blocks of a network call their layers from
// different lines. The PyTorch modules of a stack are not part of its entry: layers that one line
// calls in a loop share an entry, and the current layer is read from the frames at each call.
//
// If two stacks differ although even the largest choice of few words (kFew) is equal, all words of
// both are checked from then on. If their keys are equal, neither is matched by key alone. Calls
// that were matched without a full check before such a difference was discovered are counted
// (kCallMemoStale): at most that many have a wrong stack. If a set is full, the second-chance
// method chooses the entry to evict: calls that never recur do not evict those that recur in each
// step. There is one CallMemo per thread; its memory is mapped at the first call. An entry becomes
// invalid when the generation of the unwind rows changes (dlclose, fork).
#pragma once

#include <cstdint>
#include <iterator>

#include "samplers/agent/calls/distance.h"
#include "samplers/agent/stacks/stack.h"
#include "samplers/wire/hash.h"

namespace gprofx::agent {

class CallMemo {
 public:
  // Maps the zero-filled memory of a thread's CallMemo. Returns null on failure.
  static CallMemo* Make();

  // Identifies a stack by data that is cheap to get before a walk. Different stacks may have the
  // same key.
  struct Key {
    uint64_t sp;             // stack pointer of our own frame
    uint64_t python_thread;  // PyThreadState whose frames belong to the call, 0 = none
    uint64_t python_frame;   // innermost Python frame of that thread
    uint64_t instruction;    // that frame's current instruction
    uint64_t object;         // object of the call, such as the kernel's handle
    uint32_t call;
  };
  static Key MakeKey(uint64_t sp, const PythonOwner& owner, uint32_t call, uint64_t object);

  // Returns the node of the cached stack that matches `key`, including its PyTorch modules, which
  // are read from the frames. Returns 0 if none matches.
  uint32_t Find(const Key& key, StackPath& path);
  // Caches the stack that was just taken for `key`. Does nothing if the stack is incomplete or too
  // deep.
  void Add(const Key& key, const ThreadState& state, const Stack& stack);

 private:
  static constexpr uint32_t kMaxNative = 180;
  static constexpr uint32_t kMaxInner = 40;  // native frames up to the innermost Python frame
  static constexpr uint32_t kMaxPython = 96;
  static constexpr uint32_t kOuterParts = 4;
  // Number of native and of Python words that a check of few words reads, indexed by Entry::depth.
  struct Few {
    uint32_t native, python;
  };
  static constexpr Few kFew[] = {{8, 5}, {8, 12}, {24, 12}, {kMaxInner, 30}};
  static constexpr uint32_t kDepths = std::size(kFew);
  static constexpr uint8_t kProof = 16, kTrustedLooks = 7, kLongProof = 64, kProvenLooks = 31;
  static constexpr uint8_t kKeyProof = 24, kByKey = 7, kLongKeyProof = 40, kByLongKey = 47,
                           kKeyedLooks = 3;
  static constexpr uint32_t kCountedHits = 8;  // hits that are added to the quality counter at once
  static constexpr uint32_t kSets = 128, kWays = 32;
  // Everything that is read for a call that matches by its key alone.
  struct alignas(16) Front {
    uint64_t tag;      // 0 = empty
    uint32_t node;     // node of the stack without its PyTorch modules
    uint16_t next;     // index of the call that followed this one last time
    uint8_t key_left;  // matches by key alone before the next check
    bool layered;      // the stack contains calls of PyTorch modules
  };
  struct alignas(64) Entry {
    uint64_t sp;
    uint64_t few[kDepths];  // hashes of the few words
    uint8_t inners, outers, pythons;
    uint8_t first;      // first inner frame that does not belong to the driver or its libraries
    uint8_t part;       // quarter of the outer frames that the next full check reads
    uint8_t right;      // successful full checks in a row, up to kLongProof
    uint8_t by_key;     // matches by key alone since the latest check, as counted by CountByKey
    uint8_t key_gone;   // Front::key_left when CountByKey last ran
    uint8_t few_left;   // checks of the few words before the next full one
    uint8_t depth;      // index in kFew; distinguishes the entry from others with its key
    bool doubtful : 1;  // another stack has the same few words at every depth
    bool shared : 1;    // another stack has the same key
    bool used : 1;      // used since the clock hand last passed
    uint16_t unlooked;  // matches since the latest full check
    uint64_t inner;     // hash of the Python frames and the inner native frames
    uint64_t outer[kOuterParts];  // hashes of the outer native frames, one per quarter
    LayerCalls layers;
    uint16_t slots[kMaxNative];  // locations of the return addresses, in words above Key::sp
  };
  using Hash = wire::WordsHash;
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
  // Returns the index of the first entry of the set that `tag` belongs to.
  static uint32_t FirstOf(uint64_t tag) { return (tag >> 32) % kSets * kWays; }
  uint32_t MakeRoom(uint32_t first);
  static bool LookDeeper(Entry& entry, const Key& key);

  uint32_t last_;            // entry of the latest call
  uint32_t hits_;            // hits that are not yet added to the quality counter
  uint32_t random_;          // state of the generator of distances between checks
  uint8_t next_way_[kSets];  // by set: the way that is replaced next
  static_assert(kSets * kWays <= 1 << 16);
  Front fronts_[kSets * kWays];
  Entry entries_[kSets * kWays];
};

}  // namespace gprofx::agent
