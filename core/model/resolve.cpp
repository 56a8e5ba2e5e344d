// Implements Resolve. A raw frame always becomes the same chain of frames, so each frame is
// translated only once. Then one pass over the nodes (parents first) adds each node's chain below
// the new node of its parent. The number of name lookups does not depend on the number of raw
// nodes.
//
// A Python frame becomes a child of the function that contains the evaluation loop, not of a
// function that the compiler inlined at the address of the call. Otherwise, with debug information,
// it would be a child of Py_INCREF, for example, and each such helper would split the tree. If all
// children of a frame are Python frames, its inlined functions become no nodes.
//
// A hot address without a name stays a frame of its own: users can look up its hexadecimal address
// in another tool. A stripped library can have tens of thousands of addresses, so the cold ones are
// merged into one frame of their module, with address 0. Cold means that the inclusive value is
// below 1/1000 of the total in every metric.
#include "core/model/resolve.h"

#include <span>

#include "core/model/totals.h"

namespace gprofx {
namespace {

constexpr int64_t kColdShare = 1000;

// Returns a flag for each frame, by FrameId::index(). It is true if the frame's inclusive value,
// summed over its nodes, is below 1/kColdShare of the total in every metric.
std::vector<bool> FindColdFrames(const Profile& raw) {
  std::vector<bool> cold(raw.frames.size(), true);
  bool has_values = false;
  for (uint32_t metric = 1; metric <= raw.metrics.size(); ++metric) {
    const std::vector<int64_t> inclusive = InclusiveByNode(raw, SelfByNode(raw, MetricId{metric}));
    if (inclusive[0] <= 0) continue;
    has_values = true;
    const int64_t limit = inclusive[0] / kColdShare;
    std::vector<double> by_frame(raw.frames.size());
    for (size_t i = 0; i < raw.nodes.size(); ++i) {
      by_frame[raw.nodes[i].frame.index()] += static_cast<double>(inclusive[i]);
    }
    for (size_t i = 0; i < by_frame.size(); ++i) {
      if (by_frame[i] >= static_cast<double>(limit)) cold[i] = false;
    }
  }
  if (!has_values) cold.assign(cold.size(), false);
  return cold;
}

// True for frames that have an address: native frames and JIT-compiled code.
bool HasAddress(const Frame& frame) {
  return frame.kind == FrameKind::kNative || frame.kind == FrameKind::kUnknown;
}

class Resolver {
 public:
  Resolver(const Profile& raw, const std::vector<ModuleNames>& names)
      : raw_(raw), names_(names), cold_(FindColdFrames(raw)) {}

  Resolved Run() && {
    CopyTables();
    TranslateFrames();
    ResolveNodes();
    for (const Value& value : raw_.values) {
      out_.AddSelf(node_of_[value.node.index()], value.thread, value.metric, value.self);
    }
    return {std::move(out_), std::move(node_of_)};
  }

 private:
  // Interns strings and functions first and in their old order, which keeps their ids.
  void CopyTables() {
    for (uint32_t id = 1; id <= raw_.string_count(); ++id) out_.Intern(raw_.Text(StringId{id}));
    for (const Function& function : raw_.functions) out_.Intern(function);
    out_.sources = raw_.sources;
    out_.processes = raw_.processes;
    out_.threads = raw_.threads;
    out_.modules = raw_.modules;
    out_.ranges = raw_.ranges;
    out_.metrics = raw_.metrics;
    out_.gpu = raw_.gpu;
    out_.meta = raw_.meta;
    out_.quality = raw_.quality;
    out_.sample_rows = raw_.sample_rows;
  }

  // Returns the source frames of an address, outermost first; empty if there are none.
  std::span<const SourceFrame> NamesOf(const Frame& frame) const {
    if (!HasAddress(frame) || !frame.module) return {};
    if (frame.module.index() >= names_.size()) return {};
    const ModuleNames& module_names = names_[frame.module.index()];
    const auto found = module_names.find(frame.address);
    if (found == module_names.end()) return {};
    return found->second;
  }

  FrameId InternSource(const SourceFrame& source, FrameKind kind, ModuleId module) {
    Function function;
    function.name = out_.Intern(source.function);
    function.file = out_.Intern(source.decl_file);
    function.first_line = source.decl_line;
    function.module = module;
    Frame frame;
    frame.kind = kind;
    frame.function = out_.Intern(function);
    frame.file = source.file == source.decl_file ? StringId{} : out_.Intern(source.file);
    frame.line = source.line;
    frame.module = module;
    return out_.Intern(frame);
  }

  FrameId CopyFrame(Frame frame, bool cold) {
    // Inlined functions of GPU kernels have no module. GPU frames are copied unchanged, so they are
    // not treated as code here.
    const bool is_code =
        frame.kind == FrameKind::kNative || (frame.kind == FrameKind::kInlined && frame.module);
    const bool is_named = frame.kind == FrameKind::kPython || (is_code && frame.function);
    const bool is_nameless = (is_code || frame.kind == FrameKind::kUnknown) && !frame.function;
    if (is_named || (is_nameless && cold)) frame.address = 0;
    if (frame.kind == FrameKind::kUnknown) frame.module = {};
    return out_.Intern(frame);
  }

  // Fills chains_. The chain of raw frame i is the range from chain_begin_[i] to chain_begin_[i +
  // 1].
  void TranslateFrames() {
    chain_begin_.reserve(raw_.frames.size() + 1);
    for (size_t i = 0; i < raw_.frames.size(); ++i) {
      chain_begin_.push_back(chains_.size());
      const Frame& frame = raw_.frames[i];
      const std::span<const SourceFrame> sources = NamesOf(frame);
      if (sources.empty()) chains_.push_back(CopyFrame(frame, cold_[i]));
      for (size_t k = 0; k < sources.size(); ++k) {
        const FrameKind kind = k == 0 ? FrameKind::kNative : FrameKind::kInlined;
        chains_.push_back(InternSource(sources[k], kind, frame.module));
      }
    }
    chain_begin_.push_back(chains_.size());
  }

  bool IsPython(const Node& node) const {
    return node.frame && raw_.frame(node.frame).kind == FrameKind::kPython;
  }

  // Returns a flag for each raw node, by position: it has no value of its own, it has children, and
  // all of them are Python frames. Such nodes run the Python interpreter.
  std::vector<bool> FindRunners() const {
    std::vector<bool> python(raw_.nodes.size()), other(raw_.nodes.size());
    for (size_t i = 1; i < raw_.nodes.size(); ++i) {
      (IsPython(raw_.nodes[i]) ? python : other)[raw_.nodes[i].parent.index()] = true;
    }
    for (const Value& value : raw_.values) other[value.node.index()] = true;
    for (size_t i = 0; i < python.size(); ++i) python[i] = python[i] && !other[i];
    return python;
  }

  void ResolveNodes() {
    const std::vector<bool> runs_python = FindRunners();
    std::vector<NodeId> physical;  // by raw node: node of its outermost source frame
    physical.reserve(raw_.nodes.size());
    node_of_.reserve(raw_.nodes.size());
    physical.push_back(out_.root());
    node_of_.push_back(out_.root());
    for (size_t i = 1; i < raw_.nodes.size(); ++i) {
      const Node& node = raw_.nodes[i];
      const size_t parent = node.parent.index();
      NodeId at = IsPython(node) ? physical[parent] : node_of_[parent];
      size_t k = chain_begin_[node.frame.index()];
      const size_t end = runs_python[i] ? k + 1 : chain_begin_[node.frame.index() + 1];
      at = out_.Child(at, chains_[k]);
      physical.push_back(at);
      while (++k < end) at = out_.Child(at, chains_[k]);
      node_of_.push_back(at);
    }
  }

  const Profile& raw_;
  const std::vector<ModuleNames>& names_;
  const std::vector<bool> cold_;
  Profile out_;
  std::vector<FrameId> chains_;
  std::vector<size_t> chain_begin_;
  std::vector<NodeId> node_of_;
};

}  // namespace

Resolved Resolve(const Profile& raw, const std::vector<ModuleNames>& names) {
  return Resolver(raw, names).Run();
}

}  // namespace gprofx
