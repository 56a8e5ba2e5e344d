#include "core/levels/backward_pass.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace gprofx {
namespace {

constexpr size_t kPatterns = 8;  // whole passes that parts are looked up in

struct Pair {
  size_t backward = 0, forward = 0;
};

// Calls of one name, by position in their pass.
using Positions = std::vector<size_t>;

bool InOneLayer(const BackwardPass& pass, const Positions& forward) {
  return std::all_of(forward.begin(), forward.end(), [&](size_t i) {
    return pass.forward[i].path == pass.forward[forward.front()].path;
  });
}

// Joins calls of one name where counts prove it. Answers whether they are pairs.
bool JoinOfName(BackwardPass& pass, const Positions& backward, const Positions& forward) {
  const bool pairs = forward.size() == backward.size();
  if (!pairs && !InOneLayer(pass, forward)) return false;
  for (size_t i = 0; i < backward.size(); ++i) {
    BackwardCall& call = pass.backward[backward[i]];
    const ForwardCall& of = pass.forward[pairs ? forward[forward.size() - 1 - i] : forward.front()];
    call.path = of.path;
    call.forward = of.node;
    call.known = true;
  }
  return pairs;
}

std::vector<Pair> JoinByCounts(BackwardPass& pass) {
  std::unordered_map<uint32_t, Positions> forward, backward;
  for (size_t i = 0; i < pass.forward.size(); ++i) forward[pass.forward[i].name].push_back(i);
  for (size_t i = 0; i < pass.backward.size(); ++i) {
    if (pass.backward[i].name != 0) backward[pass.backward[i].name].push_back(i);
  }
  std::vector<Pair> pairs;
  for (const auto& [name, calls] : backward) {
    const auto found = forward.find(name);
    if (found == forward.end() || !JoinOfName(pass, calls, found->second)) continue;
    for (size_t i = 0; i < calls.size(); ++i) {
      pairs.push_back({calls[i], found->second[calls.size() - 1 - i]});
    }
  }
  return pairs;
}

// The most pairs that stand in reverse order of each other.
std::vector<Pair> InReverseOrder(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.backward < b.backward; });
  std::vector<size_t> ends;  // by length less one: the last of the best sequence of that length
  std::vector<size_t> before(pairs.size(), pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto at = std::partition_point(ends.begin(), ends.end(), [&](size_t end) {
      return pairs[end].forward > pairs[i].forward;
    });
    if (at != ends.begin()) before[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<Pair> out;
  for (size_t i = ends.empty() ? pairs.size() : ends.back(); i < pairs.size(); i = before[i]) {
    out.push_back(pairs[i]);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Counts can be equal by chance: what stands against the order of most others is not proven.
void ForgetOthers(BackwardPass& pass, const std::vector<Pair>& pairs,
                  const std::vector<Pair>& in_order) {
  std::vector<bool> proven(pass.backward.size());
  for (const Pair& pair : in_order) proven[pair.backward] = true;
  for (const Pair& pair : pairs) {
    if (proven[pair.backward]) continue;
    BackwardCall& call = pass.backward[pair.backward];
    call.path = 0;
    call.forward = {};
    call.known = false;
  }
}

// Positions from `begin` to `end` in each pass.
struct Gap {
  size_t backward_begin = 0, backward_end = 0, forward_begin = 0, forward_end = 0;
};

// Calls that are not told apart lie in what is around all that they may belong to.
void JoinAround(const Levels& levels, BackwardPass& pass, const Positions& backward,
                const Positions& forward) {
  uint32_t around = pass.forward[forward.front()].path;
  for (const size_t i : forward) around = PathAround(levels, around, pass.forward[i].path);
  for (const size_t i : backward) {
    if (!pass.backward[i].known) pass.backward[i].path = around;
  }
}

void JoinInGap(const Levels& levels, BackwardPass& pass, const Gap& gap) {
  std::map<uint32_t, Positions> backward, forward;
  for (size_t i = gap.backward_begin; i < gap.backward_end; ++i) {
    const BackwardCall& call = pass.backward[i];
    if (call.name != 0 && !call.known) backward[call.name].push_back(i);
  }
  if (backward.empty()) return;
  for (size_t i = gap.forward_begin; i < gap.forward_end; ++i) {
    forward[pass.forward[i].name].push_back(i);
  }
  for (const auto& [name, calls] : backward) {
    const auto found = forward.find(name);
    if (found == forward.end()) continue;
    JoinOfName(pass, calls, found->second);
    JoinAround(levels, pass, calls, found->second);
  }
}

void JoinBetween(const Levels& levels, BackwardPass& pass, const std::vector<Pair>& pairs) {
  Gap gap{0, 0, 0, pass.forward.size()};
  for (const Pair& pair : pairs) {
    gap.backward_end = pair.backward;
    gap.forward_begin = pair.forward + 1;
    JoinInGap(levels, pass, gap);
    gap.backward_begin = pair.backward + 1;
    gap.forward_end = pair.forward;
  }
  gap.backward_end = pass.backward.size();
  gap.forward_begin = 0;
  JoinInGap(levels, pass, gap);
}

void FillGaps(const Levels& levels, std::vector<BackwardCall>& calls) {
  std::vector<size_t> next(calls.size(), calls.size());
  for (size_t i = calls.size(); i-- > 1;) next[i - 1] = calls[i].known ? i : next[i];
  size_t last = calls.size();  // the known one before
  for (size_t i = 0; i < calls.size(); ++i) {
    BackwardCall& call = calls[i];
    if (call.known) {
      last = i;
    } else if (call.follows && i > 0) {
      call.path = calls[i - 1].path;
      call.forward = calls[i - 1].forward;
    } else if (call.path == 0 && last < calls.size() && next[i] < calls.size()) {
      call.path = PathAround(levels, calls[last].path, calls[next[i]].path);
    }
  }
}

using Sequence = std::vector<uint32_t>;

Sequence SequenceOf(const BackwardPass& pass) {
  Sequence out;
  for (const BackwardCall& call : pass.backward) out.push_back(call.name << 1 | call.follows);
  return out;
}

size_t KnownOf(const std::vector<BackwardCall>& calls) {
  return static_cast<size_t>(std::count_if(calls.begin(), calls.end(),
                                           [](const BackwardCall& call) { return call.known; }));
}

struct Pattern {
  Sequence sequence;
  const BackwardPass* pass = nullptr;
  size_t known = 0;
};

// Whole passes of different sequences, those in which most is known first. One of which much less
// is known is no whole pass: the recording ended in it, or its events were lost.
std::vector<Pattern> PatternsOf(const std::vector<BackwardPass>& passes) {
  std::map<Sequence, Pattern> best;
  for (const BackwardPass& pass : passes) {
    if (!pass.whole) continue;
    const size_t known = KnownOf(pass.backward);
    if (known == 0) continue;
    Sequence sequence = SequenceOf(pass);
    Pattern& pattern = best[sequence];
    if (known > pattern.known) pattern = {std::move(sequence), &pass, known};
  }
  std::vector<Pattern> out;
  for (auto& [_, pattern] : best) out.push_back(std::move(pattern));
  std::stable_sort(out.begin(), out.end(),
                   [](const Pattern& a, const Pattern& b) { return a.known > b.known; });
  std::erase_if(out, [most = out.empty() ? 0 : out.front().known](const Pattern& pattern) {
    return pattern.known * 2 < most;
  });
  if (out.size() > kPatterns) out.resize(kPatterns);
  return out;
}

// What the places in all patterns have in common at which `part` occurs; empty where it does not.
std::vector<BackwardCall> CallsOfPart(const Levels& levels, const Sequence& part,
                                      const std::vector<Pattern>& patterns) {
  std::vector<BackwardCall> out;
  for (const auto& [sequence, pass, known] : patterns) {
    for (auto at = sequence.begin();; ++at) {
      at = std::search(at, sequence.end(), part.begin(), part.end());
      if (at == sequence.end()) break;
      const BackwardCall* const first = pass->backward.data() + (at - sequence.begin());
      if (out.empty()) {
        out.assign(first, first + part.size());
        continue;
      }
      for (size_t i = 0; i < out.size(); ++i) {
        out[i].path = PathAround(levels, out[i].path, first[i].path);
        out[i].known = out[i].known && first[i].known;
        if (out[i].forward != first[i].forward) out[i].forward = {};
      }
    }
  }
  return out;
}

// Passes that were seen in part, and those of which less is known than of others like them.
void JoinByOthers(const Levels& levels, std::vector<BackwardPass>& passes) {
  const std::vector<Pattern> patterns = PatternsOf(passes);
  if (patterns.empty()) return;
  std::map<Sequence, std::vector<BackwardCall>> found;
  for (BackwardPass& pass : passes) {
    const size_t known = pass.whole ? KnownOf(pass.backward) : 0;
    if (pass.whole && known >= patterns.front().known) continue;
    const auto [at, is_new] = found.try_emplace(SequenceOf(pass));
    std::vector<BackwardCall>& calls = at->second;
    if (is_new) calls = CallsOfPart(levels, at->first, patterns);
    if (pass.whole && KnownOf(calls) <= known) continue;
    for (size_t i = 0; i < calls.size(); ++i) {
      pass.backward[i].path = calls[i].path;
      pass.backward[i].forward = calls[i].forward;
      pass.backward[i].known = calls[i].known;
    }
  }
}

}  // namespace

uint32_t PathAround(const Levels& levels, uint32_t a, uint32_t b) {
  // A path is made after the one around it.
  while (a != b) {
    uint32_t& inner = a > b ? a : b;
    inner = levels.paths[inner - 1].parent;
  }
  return a;
}

void JoinPasses(const Levels& levels, std::vector<BackwardPass>& passes) {
  for (BackwardPass& pass : passes) {
    if (!pass.whole) continue;
    const std::vector<Pair> pairs = JoinByCounts(pass), in_order = InReverseOrder(pairs);
    ForgetOthers(pass, pairs, in_order);
    JoinBetween(levels, pass, in_order);
    FillGaps(levels, pass.backward);
  }
  JoinByOthers(levels, passes);
}

}  // namespace gprofx
