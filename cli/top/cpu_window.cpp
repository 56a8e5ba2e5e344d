#include "cli/top/cpu_window.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gprofx {

bool ContainsText(std::string_view text, std::string_view part) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const auto same = [&](char a, char b) { return lower(a) == lower(b); };
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

namespace {

using Weights = std::unordered_map<uint32_t, int64_t>;

// The part of the call tree that has time in this interval: the nodes with samples in or below
// them. Parents precede their children; the root is first.
struct Part {
  std::vector<uint32_t> nodes;
  // By position in `nodes`: position of the parent. The root is its own parent.
  std::vector<uint32_t> parents;
  std::vector<uint32_t> first_child, next_sibling;  // positions in `nodes`; 0 = none
};

Part PartWith(const Weights& weights, const Profile& profile) {
  Part part;
  std::unordered_map<uint32_t, uint32_t> position = {{profile.root().value, 0}};
  part.nodes.push_back(profile.root().value);
  for (const auto& entry : weights) {
    for (uint32_t at = entry.first; at != 0 && position.emplace(at, 0).second;
         at = profile.node(NodeId{at}).parent.value) {
      part.nodes.push_back(at);
    }
  }
  std::sort(part.nodes.begin(), part.nodes.end());
  const size_t count = part.nodes.size();
  for (size_t i = 0; i < count; ++i) position[part.nodes[i]] = static_cast<uint32_t>(i);
  part.parents.resize(count);
  part.first_child.resize(count);
  part.next_sibling.resize(count);
  for (size_t i = count; i-- > 1;) {
    const uint32_t parent = position[profile.node(NodeId{part.nodes[i]}).parent.value];
    part.parents[i] = parent;
    part.next_sibling[i] = part.first_child[parent];
    part.first_child[parent] = static_cast<uint32_t>(i);
  }
  return part;
}

std::vector<FrameKeys> KeysOf(const Part& part, const Profile& profile, FrameKeyTable& keys) {
  std::vector<FrameKeys> own(part.nodes.size());
  for (size_t i = 1; i < own.size(); ++i) {
    const FrameId frame = profile.node(NodeId{part.nodes[i]}).frame;
    if (frame) own[i] = keys.Of(profile, frame);
  }
  return own;
}

// The innermost keys on the path to a node, and whether a frame on the path matches the focus.
struct Nearest {
  uint32_t function = FrameKeyTable::kNoPython, native = FrameKeyTable::kPythonCode;
  uint32_t line = FrameKeyTable::kNoPython;
  bool focused = false;
};

struct Sum {
  int64_t self = 0, total = 0;
};

// Visits all nodes of a Part once, depth first. Enters each node before its children and leaves it
// after them.
class Walk {
 public:
  Walk(const Part& part, const std::vector<FrameKeys>& own, const FrameKeyTable& keys,
       const std::string& focus)
      : part_(part),
        own_(own),
        keys_(keys),
        focus_(focus),
        sums_(keys.size()),
        on_way_(keys.size()),
        in_focus_(keys.size(), -1),
        below_(own.size()),
        outermost_(own.size()),
        nearest_(own.size()) {
    nearest_[0].focused = focus.empty();
  }

  void Run(const Weights& weights) {
    std::vector<std::pair<uint32_t, bool>> stack = {{0, false}};
    while (!stack.empty()) {
      const auto [at, is_left] = stack.back();
      stack.pop_back();
      if (is_left) {
        Leave(at);
        continue;
      }
      Enter(at);
      if (const auto weight = weights.find(part_.nodes[at]); weight != weights.end()) {
        Count(at, weight->second);
      }
      stack.emplace_back(at, true);
      for (uint32_t child = part_.first_child[at]; child != 0; child = part_.next_sibling[child]) {
        stack.emplace_back(child, false);
      }
    }
  }

  const std::vector<Sum>& sums() const { return sums_; }
  int64_t whole_ns() const { return whole_ns_; }
  int64_t focus_ns() const { return below_[0]; }
  int64_t python_ns() const { return python_ns_; }
  int64_t unnamed_ns() const { return unnamed_ns_; }

 private:
  std::array<uint32_t, 3> OwnKeys(uint32_t at) const {
    return {own_[at].function, own_[at].line, own_[at].native};
  }

  bool InFocus(uint32_t key) {
    if (key == 0) return false;
    if (in_focus_[key] < 0) {
      const KeyText& text = keys_.Text(key);
      in_focus_[key] = ContainsText(text.name, focus_) || ContainsText(text.file, focus_);
    }
    return in_focus_[key] > 0;
  }

  void Enter(uint32_t at) {
    Nearest& here = nearest_[at];
    if (at != 0) here = nearest_[part_.parents[at]];
    const FrameKeys& mine = own_[at];
    if (mine.function != 0) {
      here.function = mine.function;
      here.line = mine.line;
      here.native = FrameKeyTable::kPythonCode;
    }
    if (mine.native != 0) here.native = mine.native;
    here.focused = here.focused || InFocus(mine.function) || InFocus(mine.native);
    const auto keys = OwnKeys(at);
    for (size_t i = 0; i < keys.size(); ++i) {
      outermost_[at][i] = keys[i] != 0 && on_way_[keys[i]]++ == 0;
    }
  }

  void Count(uint32_t at, int64_t weight) {
    const Nearest& here = nearest_[at];
    const bool is_python = here.function != FrameKeyTable::kNoPython;
    whole_ns_ += weight;
    if (is_python) python_ns_ += weight;
    if (own_[at].unnamed) unnamed_ns_ += weight;
    if (!here.focused) return;
    below_[at] = weight;
    sums_[here.function].self += weight;
    if (is_python) sums_[here.line].self += weight;
    sums_[here.native].self += weight;
    // Add to the totals of kNoPython and kPythonCode here. No frame has these keys, so Leave() does
    // not do that.
    if (!is_python) sums_[here.function].total += weight;
    if (here.native == FrameKeyTable::kPythonCode) sums_[here.native].total += weight;
  }

  void Leave(uint32_t at) {
    const auto keys = OwnKeys(at);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (outermost_[at][i]) sums_[keys[i]].total += below_[at];
      if (keys[i] != 0) --on_way_[keys[i]];
    }
    if (at != 0) below_[part_.parents[at]] += below_[at];
  }

  const Part& part_;
  const std::vector<FrameKeys>& own_;
  const FrameKeyTable& keys_;
  const std::string& focus_;
  std::vector<Sum> sums_;         // by key
  std::vector<uint32_t> on_way_;  // by key: number of times that it occurs on the current path
  std::vector<int8_t> in_focus_;  // by key: 1 if it matches the focus; -1 = not checked yet
  std::vector<int64_t> below_;    // by position in `nodes`: time in and below the node
  std::vector<std::array<bool, 3>> outermost_;
  std::vector<Nearest> nearest_;
  int64_t whole_ns_ = 0, python_ns_ = 0, unnamed_ns_ = 0;
};

}  // namespace

void CpuWindow::Take(const Profile& profile, std::span<const SampleRow> rows) {
  if (!profiling_) profiling_.emplace(profile);
  for (const SampleRow& row : rows) {
    if (row.node && profiling_->Is(row.node)) {
      open_.profiling_ns += row.weight;
      continue;
    }
    open_.weights[row.node.value] += row.weight;
    open_.threads.insert(row.thread.value);
    open_.samples += (row.state & kStateRest) == 0 ? 1 : 0;
    if ((row.state & kStateMask) == kStateGilHeld) open_.gil_ns += row.weight;
    if ((row.state & kStateIdle) != 0) open_.idle_ns += row.weight;
  }
}

// Closes the open interval. First adds the self times of the interval before it to the sums since
// the start, because the names of that interval have arrived by now.
void CpuWindow::Close(const Profile& profile, FrameKeyTable& keys) {
  Snapshot snapshot;
  Build(profile, keys, snapshot);
  for (const auto* rows : {&snapshot.functions, &snapshot.lines, &snapshot.native}) {
    for (const TopRow& row : *rows) before_[row.key] = row.self_since_start;
  }
  closed_ = std::exchange(open_, {});
}

std::vector<FrameId> CpuWindow::Build(const Profile& profile, FrameKeyTable& keys,
                                      Snapshot& snapshot) const {
  const Part part = PartWith(closed_.weights, profile);
  const std::vector<FrameKeys> own = KeysOf(part, profile, keys);
  Walk walk(part, own, keys, snapshot.focus);
  walk.Run(closed_.weights);

  for (auto* rows : {&snapshot.functions, &snapshot.lines, &snapshot.native}) rows->clear();
  for (uint32_t key = 1; key < walk.sums().size(); ++key) {
    const Sum& sum = walk.sums()[key];
    if (sum.total == 0) continue;
    const auto before = before_.find(key);
    const KeyText& text = keys.Text(key);
    TopRow row = {text.name, text.file, text.line,
                  sum.self,  sum.total, sum.self + (before == before_.end() ? 0 : before->second),
                  key};
    if (text.table == TopTable::kNative) snapshot.native.push_back(row);
    if (text.table == TopTable::kFunctions) snapshot.functions.push_back(row);
    if (text.table == TopTable::kLines || key == FrameKeyTable::kNoPython) {
      snapshot.lines.push_back(row);
    }
  }
  snapshot.cpu_ns = walk.whole_ns();
  snapshot.focus_ns = walk.focus_ns();
  snapshot.python_ns = walk.python_ns();
  snapshot.unnamed_ns = walk.unnamed_ns();
  snapshot.samples = closed_.samples;
  snapshot.threads = closed_.threads.size();
  snapshot.gil_ns = closed_.gil_ns;
  snapshot.profiling_ns = closed_.profiling_ns;
  snapshot.idle_ns = closed_.idle_ns;

  std::vector<FrameId> unnamed;
  for (size_t i = 1; i < own.size(); ++i) {
    if (own[i].unnamed) unnamed.push_back(profile.node(NodeId{part.nodes[i]}).frame);
  }
  std::sort(unnamed.begin(), unnamed.end());
  unnamed.erase(std::unique(unnamed.begin(), unnamed.end()), unnamed.end());
  return unnamed;
}

}  // namespace gprofx
