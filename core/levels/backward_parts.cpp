#include "core/levels/backward_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace gprofx {
namespace {

constexpr size_t kMaxKinds = 64;
constexpr size_t kMaxPlaces = 256;
// Maximum number of compared names and merged calls. No real model comes near it, but a broken file
// may.
constexpr int64_t kMaxWork = 300'000'000;

using Sequence = std::vector<uint32_t>;
using Joined = std::vector<JoinedCall>;

Sequence SequenceOf(const BackwardPass& pass) {
  Sequence out;
  for (const BackwardCall& call : pass.backward) out.push_back(call.name << 1 | call.follows);
  return out;
}

size_t KnownOf(const BackwardPass& pass) {
  return static_cast<size_t>(
      std::count_if(pass.backward.begin(), pass.backward.end(),
                    [](const BackwardCall& call) { return call.joined.known; }));
}

// True if the forward calls of at least half of the named backward calls are known. Otherwise the
// pass was not recorded completely: the recording began or ended in it, or events were lost.
bool IsMostlyKnown(const BackwardPass& pass) {
  const auto named = std::count_if(pass.backward.begin(), pass.backward.end(),
                                   [](const BackwardCall& call) { return call.name != 0; });
  const size_t known = KnownOf(pass);
  return 2 * known >= static_cast<size_t>(named) && known > 0;
}

void Merge(const Levels& levels, JoinedCall& into, const JoinedCall& other) {
  into.path = PathAround(levels, into.path, other.path);
  into.known = into.known && other.known;
  if (into.forward != other.forward) into.forward = {};
}

// Returns the failure function of the KMP algorithm: for each position of `part`, the length of the
// longest proper prefix of `part` that ends there.
std::vector<size_t> Borders(const Sequence& part) {
  std::vector<size_t> borders(part.size());
  for (size_t i = 1, length = 0; i < part.size(); ++i) {
    while (length > 0 && part[i] != part[length]) length = borders[length - 1];
    if (part[i] == part[length]) ++length;
    borders[i] = length;
  }
  return borders;
}

// Returns the positions in `in` at which `part` occurs, in linear time (Knuth, Morris, Pratt).
// Stops after kMaxPlaces + 1, which is too many to use.
std::vector<size_t> PlacesOf(const Sequence& part, const std::vector<size_t>& borders,
                             const Sequence& in) {
  std::vector<size_t> places;
  for (size_t i = 0, length = 0; i < in.size() && places.size() <= kMaxPlaces; ++i) {
    while (length > 0 && (length == part.size() || in[i] != part[length])) {
      length = borders[length - 1];
    }
    if (in[i] == part[length]) ++length;
    if (length == part.size()) places.push_back(i + 1 - length);
  }
  return places;
}

using Layers = std::set<NameAndPath>;

class PartJoiner {
 public:
  PartJoiner(const Levels& levels, const Layers& forward, std::vector<BackwardPass>& passes)
      : levels_(levels), passes_(passes) {
    for (const BackwardPass& pass : passes) {
      if (pass.whole() && IsMostlyKnown(pass)) AddKind(pass);
    }
    for (const NameAndPath& call : forward) AddOther(call);
  }

  void Join() {
    if (kinds_.empty() || kinds_.size() > kMaxKinds) return;
    for (BackwardPass& pass : passes_) {
      if (pass.whole() && IsMostlyKnown(pass)) {
        Complete(pass);
        continue;
      }
      const std::optional<Joined> found = Find(pass);
      if (!found) continue;
      for (size_t i = 0; i < found->size(); ++i) pass.backward[i].joined = (*found)[i];
    }
  }

 private:
  struct Kind {
    size_t known = 0;
    Joined calls;
  };

  // Adds a complete pass to its kind. A kind is all passes with the same sequence of names; they
  // may belong to different layers, such as alternating heads. In each kind, only the passes with
  // the most known calls count. In the others, fewer calls are known because unrelated calls
  // precede them.
  void AddKind(const BackwardPass& pass) {
    Kind& kind = kinds_[SequenceOf(pass)];
    const size_t known = KnownOf(pass);
    if (known > kind.known) {
      kind = {known, {}};
      for (const BackwardCall& call : pass.backward) kind.calls.push_back(call.joined);
    } else if (known == kind.known) {
      for (size_t i = 0; i < kind.calls.size(); ++i) {
        Merge(levels_, kind.calls[i], pass.backward[i].joined);
      }
    }
    for (const ForwardCall& call : pass.forward) seen_.emplace(call.name, call.path);
  }

  // Adds a call in a layer that no complete pass contains.
  void AddOther(const NameAndPath& call) {
    if (call.second == 0 || seen_.contains(call)) return;
    const auto [at, is_new] = others_.insert(call);
    if (!is_new) at->second = PathAround(levels_, at->second, call.second);
  }

  // Sets the unknown calls of a complete pass from the other passes of its kind. Does so only if
  // all its known calls agree with theirs.
  void Complete(BackwardPass& pass) const {
    const Joined& like = kinds_.at(SequenceOf(pass)).calls;
    for (size_t i = 0; i < like.size(); ++i) {
      const JoinedCall& own = pass.backward[i].joined;
      if (own.known && (!like[i].known || own.path != like[i].path)) return;
    }
    for (size_t i = 0; i < like.size(); ++i) {
      JoinedCall& own = pass.backward[i].joined;
      if (!own.known && own.path == 0) own = like[i];
    }
  }

  std::optional<Joined> Find(const BackwardPass& pass) {
    Layers own;
    if (pass.forward_whole) {
      for (const ForwardCall& call : pass.forward) own.emplace(call.name, call.path);
    }
    const auto [at, is_new] = found_.try_emplace({SequenceOf(pass), own});
    if (is_new) at->second = Search(pass, at->first.first, own);
    return at->second;
  }

  std::optional<Joined> Search(const BackwardPass& pass, const Sequence& part, const Layers& own) {
    const std::vector<size_t> borders = Borders(part);
    std::optional<Joined> out;
    for (const auto& [sequence, kind] : kinds_) {
      work_ += static_cast<int64_t>(sequence.size() + part.size());
      if (work_ > kMaxWork) return std::nullopt;
      const std::vector<size_t> places = PlacesOf(part, borders, sequence);
      work_ += static_cast<int64_t>(places.size() * part.size());
      if (places.size() > kMaxPlaces || work_ > kMaxWork) return std::nullopt;
      for (const size_t place : places) {
        const std::span<const JoinedCall> there(kind.calls.data() + place, part.size());
        if (!own.empty() && !Agrees(pass, there, own)) continue;
        if (!out) {
          out.emplace(there.begin(), there.end());
          continue;
        }
        for (size_t i = 0; i < there.size(); ++i) Merge(levels_, (*out)[i], there[i]);
      }
    }
    if (out && own.empty()) AddOthersTo(pass, *out);
    return out;
  }

  // True if `pass` may be a part that begins at this place: all calls of the place (`there`) whose
  // forward call is known are in layers of the forward pass of `pass` (`own`).
  bool Agrees(const BackwardPass& pass, std::span<const JoinedCall> there, const Layers& own) {
    for (size_t i = 0; i < there.size(); ++i) {
      const NameAndPath call{pass.backward[i].name, there[i].path};
      if (call.first == 0 || !there[i].known || own.contains(call)) continue;
      // The path of a call may contain several layers. It is enough if one of them is in `own`.
      auto inner = own.lower_bound(call);
      while (inner != own.end() && inner->first == call.first &&
             PathAround(levels_, inner->second, call.second) != call.second) {
        ++inner;
        ++work_;
      }
      if (inner == own.end() || inner->first != call.first || work_ > kMaxWork) return false;
    }
    return true;
  }

  void AddOthersTo(const BackwardPass& pass, Joined& calls) const {
    for (size_t i = 0; i < calls.size(); ++i) {
      const auto other = others_.find(pass.backward[i].name);
      if (pass.backward[i].name == 0 || other == others_.end()) continue;
      Merge(levels_, calls[i], {true, other->second, {}});
    }
  }

  const Levels& levels_;
  std::vector<BackwardPass>& passes_;
  std::map<Sequence, Kind> kinds_;
  Layers seen_;  // calls in forward passes of complete passes
  // By name: the innermost path that contains all layers of calls that are not in seen_.
  std::map<uint32_t, uint32_t> others_;
  std::map<std::pair<Sequence, Layers>, std::optional<Joined>> found_;
  int64_t work_ = 0;
};

}  // namespace

void JoinParts(const Levels& levels, const std::set<NameAndPath>& forward,
               std::vector<BackwardPass>& passes) {
  PartJoiner(levels, forward, passes).Join();
}

}  // namespace gprofx
