// Decides to which process GPU work belongs if the trace does not say it.
//
// Work and its call share a correlation id, but several ranks in one trace repeat the ids. If calls
// of several processes have the id of a piece of work, one of three rules decides; the same rule is
// used for all work:
//
//  * Position in the file. A trace that was merged from several ranks has the events of one rank
//    after those of another. The work of a rank comes right before or after its calls.
//  * GPU. A GPU belongs to the process whose calls explain most of its work, and each process has a
//    GPU of its own. If several processes explain equally much, each gets one GPU, in their order.
//  * Time. The calls with an id launched the work with this id, both in the order of time. Each
//    call launched about as much work as the others.
//
// The rule of time leaves no call without work that could have launched some. The other rules are
// tested by this: a rule is not used if it leaves calls of one process without work and gives that
// work to another process. Work that several processes could have launched is marked as a guess. If
// the trace gives all events of a rank a label, the owner must have the label of the work. Takes
// O(n log n); pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/launch_calls.h"

namespace gprofx::importers {

struct OwnedWork {
  uint32_t correlation = 0, device = 0;
  int64_t start = 0;
  StringId group;           // label that the trace gives to all events of the same rank; 0 = none
  ProcessId before, after;  // processes of the nearest host events in the file; 0 = none
  bool is_wait = false;     // true: the host waited for it; false: the host launched it
  // Results of Find:
  ProcessId owner;
  bool is_guess = false;
};

struct OwnerFacts {
  std::map<ProcessId, StringId> groups;
  bool in_turns = false;  // the file has all host events of one process before those of the next
  ProcessId home;         // process that owns work that no call explains
};

class WorkOwners {
 public:
  WorkOwners(std::span<const LaunchCall> calls, const Profile& profile, const OwnerFacts& facts)
      : calls_(calls), profile_(profile), facts_(facts) {}

  void Find(std::vector<OwnedWork>& work);

 private:
  enum Rule { kBefore, kAfter, kGpu, kTime, kRules };
  using Gpu = std::pair<StringId, uint32_t>;
  struct Candidate {  // a call that may have launched the work of a case
    uint32_t correlation = 0;
    bool is_wait = false;
    StringId group;
    int64_t start = 0;
    ProcessId process;
  };
  struct First {  // the first call of a process
    ProcessId process;
    int64_t start = 0;
  };
  // All work with the same id and group, in order of time, with the calls that may have launched
  // it.
  struct Case {
    StringId group;  // 0 = any
    std::span<OwnedWork*> work;
    std::span<const Candidate> calls;
    std::span<const First> processes;
  };
  struct Owner {
    std::map<ProcessId, int64_t> explained;
    ProcessId process;
    bool is_guess = false;
  };
  struct Budget {
    size_t votes = 0, pairs = 0;
  };
  struct Covered {  // how many cases give work to a process
    std::map<ProcessId, int64_t> cases;
    int64_t all = 0;
  };

  void MakeCandidates(const std::vector<OwnedWork>& work);
  void MakeCases(std::vector<OwnedWork>& work);
  void AddFirsts(std::span<const Candidate> calls);
  void Vote();
  void VoteIn(const Case& one, Budget& budget);
  void ChooseOwners();
  std::vector<ProcessId> BestOf(const Owner& owner) const;
  ProcessId OfGroup(StringId group) const;
  ProcessId ByGpu(const OwnedWork& work) const;
  static bool IsCandidate(const Case& one, const OwnedWork& work, ProcessId process);
  static std::vector<ProcessId> ByTime(const Case& one);
  std::vector<ProcessId> By(Rule rule, const Case& one) const;
  void Compare();
  Rule Choose() const;
  ProcessId PlaceOf(Rule rule, const Case& one, const OwnedWork& work) const;
  void Settle(Rule rule, const Case& one);

  std::span<const LaunchCall> calls_;
  const Profile& profile_;
  const OwnerFacts& facts_;
  std::map<StringId, ProcessId> first_of_group_;
  std::vector<Candidate> candidates_;
  std::vector<OwnedWork*> order_;
  std::vector<First> firsts_;
  std::vector<Case> cases_;
  std::map<Gpu, Owner> gpus_;
  std::vector<Covered> covered_;  // by Rule
};

}  // namespace gprofx::importers
