#include "core/analyses/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"
#include "core/kernels/kernel_family.h"
#include "core/kernels/launch_work.h"

namespace gprofx::analyses {
namespace {

bool IsProduct(const AnalysisContext& context, FrameId operation) {
  const Frame& frame = context.profile.frame(operation);
  if (frame.kind != FrameKind::kGpuKernel || !frame.function) return false;
  const std::string_view name = context.profile.Text(context.profile.function(frame.function).name);
  return WhatKernelDoes(name).family == KernelFamily::kGemm;
}

std::vector<WorkOfNode> WorkByShapes(const AnalysisContext& context) {
  const Profile& profile = context.profile;
  const MetricId flop = profile.FindMetric(kMetricOperatorFlop);
  const MetricId bytes = profile.FindMetric(kMetricOperatorBytes);
  const MetricId time = profile.FindMetric(kMetricGpu);
  if (!flop || !bytes || !time) return {};
  std::unordered_map<uint32_t, WorkOfNode> rows;  // by NodeId::value
  for (const Value& value : profile.values) {
    if (!value.node || (value.metric != flop && value.metric != bytes)) continue;
    WorkOfNode& row = rows[value.node.value];
    row.op = value.node;
    int64_t& sum = value.metric == flop ? row.flop : row.bytes;
    sum = AddSaturated(sum, value.self);
  }
  std::unordered_map<uint32_t, bool> products;  // by FrameId::value
  std::unordered_map<uint32_t, bool> several;   // by NodeId::value of the operator
  for (const Value& value : profile.values) {
    if (!value.node || value.metric != time) continue;
    const NodeLevel& level = context.levels.at(value.node);
    const auto row = rows.find(level.op_node.value);
    if (row == rows.end() || !level.operation) continue;
    const auto [product, is_new] = products.try_emplace(level.operation.value);
    if (is_new) product->second = IsProduct(context, level.operation);
    if (!product->second) continue;
    const uint32_t kernel = KeyAt(profile, context.levels, Level::kKernel, value.node);
    WorkOfNode& work = row->second;
    if (work.kernel != 0 && work.kernel != kernel) several[row->first] = true;
    work.kernel = kernel;
    work.kernel_ns = AddSaturated(work.kernel_ns, value.self);
  }
  std::vector<WorkOfNode> out;
  for (auto& [node, work] : rows) {
    if (work.kernel_ns <= 0) continue;
    if (several.contains(node)) work.kernel = 0;
    work.layer = context.levels.LayerAt(work.op);
    out.push_back(work);
  }
  std::sort(out.begin(), out.end(),
            [](const WorkOfNode& a, const WorkOfNode& b) { return a.op < b.op; });
  return out;
}

// Derives the work of kernels from their launches, once for each name and configuration.
class LaunchReader {
 public:
  explicit LaunchReader(const AnalysisContext& context) : context_(context) {
    std::set<FunctionId> functions;
    for (const GpuKernelConfig& config : context.profile.gpu.configs) {
      functions.insert(config.function);
    }
    std::vector<std::string_view> names;
    for (const FunctionId function : functions) {
      if (function) names.push_back(context.profile.Text(context.profile.function(function).name));
    }
    work_ = ThreadWorkOf(names);
  }

  const LaunchWork& At(const KernelKey& key) {
    const auto [known, is_new] = known_.try_emplace(key);
    if (!is_new) return known->second;
    static constexpr GpuKernelConfig kNone;
    const std::vector<GpuKernelConfig>& configs = context_.profile.gpu.configs;
    const bool has = key.second != 0 && key.second <= configs.size();
    const std::string_view name = context_.profile.Text(StringId{key.first});
    known->second = WorkOfLaunch(name, has ? configs[key.second - 1] : kNone, work_);
    return known->second;
  }

 private:
  const AnalysisContext& context_;
  ThreadWork work_ = ThreadWork::kUnknown;
  ByKernel<LaunchWork> known_;
};

// Calls take(operation, key) for each kernel launch that begins in the shown range.
template <class Take>
void ForEachKernel(const AnalysisContext& context, const Take& take) {
  KernelNames names(context);
  for (size_t i = 0; i < context.events.configs.size(); ++i) {
    const PhaseOperation& operation = context.events.operations[i];
    if (!operation.node || !context.BeginsInside(operation)) continue;
    take(operation, KernelKey(names.At(operation.node), context.events.configs[i].value));
  }
}

// Holds the hardware counters of each launch configuration.
class Counters {
 public:
  explicit Counters(const AnalysisContext& context) {
    rows_.resize(context.profile.gpu.configs.size() + 1);
    for (const KernelCounters& row : context.events.counters) {
      if (row.config.value < rows_.size()) rows_[row.config.value] = &row;
      any_ = true;
    }
  }
  bool any() const { return any_; }
  // Returns the counters of a kernel; null if no launch of it was measured.
  const KernelCounters* Find(const KernelKey& key) const {
    return key.second < rows_.size() ? rows_[key.second] : nullptr;
  }
  // Returns the counters as Find() does, but null unless FLOP and bytes were measured and are the
  // same for every launch.
  const KernelCounters* OfEach(const KernelKey& key) const {
    const KernelCounters* row = Find(key);
    return row != nullptr && row->has_flop && row->has_bytes && !row->is_uneven ? row : nullptr;
  }

 private:
  std::vector<const KernelCounters*> rows_;
  bool any_ = false;
};

double AllFlop(const KernelCounters& row) {
  double sum = 0;
  for (const double flop : row.flop) sum += flop;
  return sum;
}

// Returns the operators that do not need their shapes: counters give their work, because all
// kernels that compute their products were measured.
std::set<uint32_t> OperatorsMeasured(const AnalysisContext& context, const Counters& counters,
                                     const std::vector<WorkOfNode>& shapes) {
  std::set<uint32_t> measured, other;
  if (!counters.any() || shapes.empty()) return measured;
  std::unordered_map<uint32_t, bool> products;  // by FrameId::value
  ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey& key) {
    const NodeLevel& level = context.levels.at(operation.node);
    const auto [product, is_new] = products.try_emplace(level.operation.value);
    if (is_new) product->second = level.operation && IsProduct(context, level.operation);
    if (!product->second) return;
    (counters.OfEach(key) != nullptr ? measured : other).insert(level.op_node.value);
  });
  for (const uint32_t op : other) measured.erase(op);
  return measured;
}

struct LaunchedWork {
  WorkOfNode work;
  std::array<double, kFlopUnits> units = {};
};

// Adds the work that is known from counters and launches to `out`. Leaves out the products of
// `shapes`, the operators whose work comes from their shapes.
void AddLaunches(const AnalysisContext& context, const Counters& counters,
                 const std::set<uint32_t>& shapes, std::vector<WorkOfNode>& out) {
  LaunchReader reader(context);
  // The key is the node, the layer (backward work of one node may belong to several), the name and
  // the source.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, WorkFrom>, LaunchedWork> rows;
  const auto row_of = [&](const PhaseOperation& operation, const KernelKey& key, WorkFrom from,
                          double flop, double bytes) -> LaunchedWork& {
    const auto at = static_cast<size_t>(&operation - context.events.operations.data());
    const uint32_t layer = context.levels.LayerOf(context.paths[at]);
    LaunchedWork& row = rows[{operation.node.value, layer, key.first, from}];
    row.work.op = operation.node;
    row.work.layer = layer;
    row.work.kernel = key.first;
    row.work.from = from;
    row.work.flop = AddSaturated(row.work.flop, std::llround(flop));
    row.work.bytes = AddSaturated(row.work.bytes, std::llround(bytes));
    row.work.kernel_ns = AddSaturated(row.work.kernel_ns, context.LengthOf(operation));
    return row;
  };
  ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey& key) {
    const NodeLevel& level = context.levels.at(operation.node);
    const bool told = shapes.contains(level.op_node.value) && level.operation &&
                      IsProduct(context, level.operation);
    if (const KernelCounters* row = told ? nullptr : counters.OfEach(key)) {
      LaunchedWork& sum = row_of(operation, key, WorkFrom::kMeasured, AllFlop(*row), row->bytes);
      for (size_t i = 0; i < kFlopUnits; ++i) sum.units[i] += row->flop[i];
      return;
    }
    const LaunchWork& work = reader.At(key);
    if (!work.bytes) return;
    row_of(operation, key, WorkFrom::kLaunch, static_cast<double>(*work.flop),
           static_cast<double>(*work.bytes));
  });
  for (auto& [_, row] : rows) {
    const auto most = std::max_element(row.units.begin(), row.units.end());
    if (*most > 0) row.work.unit = static_cast<FlopUnit>(most - row.units.begin());
    if (row.work.kernel_ns > 0) out.push_back(row.work);
  }
}

}  // namespace

KernelNames::KernelNames(const AnalysisContext& context)
    : context_(context), names_(context.profile.nodes.size(), UINT32_MAX) {}

uint32_t KernelNames::At(NodeId node) {
  if (!node) return 0;
  uint32_t& name = names_[node.index()];
  if (name == UINT32_MAX) name = KeyAt(context_.profile, context_.levels, Level::kKernel, node);
  return name;
}

std::vector<WorkOfNode> FindWork(const AnalysisContext& context) {
  std::vector<WorkOfNode> out = WorkByShapes(context);
  const Counters counters(context);
  const std::set<uint32_t> measured = OperatorsMeasured(context, counters, out);
  std::erase_if(out, [&](const WorkOfNode& row) { return measured.contains(row.op.value); });
  std::set<uint32_t> shapes;
  for (const WorkOfNode& row : out) shapes.insert(row.op.value);
  AddLaunches(context, counters, shapes, out);
  return out;
}

AnalysisCell KnownShare(const AnalysisContext& context, int64_t known_ns, int64_t kernel_ns) {
  return context.is_estimated ? AnalysisCell() : Share(known_ns, kernel_ns);
}

std::string WorkNote(const AnalysisContext& context, std::span<const WorkOfNode> work) {
  int64_t shapes = 0, launch = 0, measured = 0;
  for (const WorkOfNode& row : work) {
    int64_t& sum = row.from == WorkFrom::kShapes     ? shapes
                   : row.from == WorkFrom::kMeasured ? measured
                                                     : launch;
    sum = AddSaturated(sum, row.kernel_ns);
  }
  int64_t all = context.kernel_ns;
  if (context.is_estimated) {
    all = 0;
    ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey&) {
      all = AddSaturated(all, context.LengthOf(operation));
    });
  }
  const auto percent = [&](int64_t ns) {
    const AnalysisCell share = Share(ns, all);
    const double* part = std::get_if<double>(&share);
    return std::to_string(part == nullptr ? 0 : static_cast<int>(100 * *part + 0.5)) + "%";
  };
  if (work.empty()) {
    return "FLOP and bytes: unknown, because neither shapes of operators nor launches of "
           "elementwise kernels give them";
  }
  std::string text;
  const auto add = [&](int64_t ns, const char* what) {
    if (ns <= 0) return;
    const bool first = text.empty();
    text += (first ? "FLOP and bytes: " : "; ") + std::string(what) + ", " + percent(ns) +
            (first ? " of the kernels' time" : "");
  };
  add(measured, "measured by counters, bytes are those of device memory");
  add(shapes, "of products of matrices, by the shapes of their operators");
  add(launch, "of elementwise kernels, by name and launch");
  return text + (context.is_estimated ? "; of the records alone" : "");
}

namespace {

// Adds a measured launch. FLOP or bytes that were not measured are derived from the launch if
// possible.
void AddMeasured(const KernelCounters& measured, const LaunchWork& launch, WorkOfKernel& work) {
  work.from = WorkFrom::kMeasured;
  work.why = launch.why;
  work.flop_measured = measured.has_flop;
  work.bytes_measured = measured.has_bytes;
  work.is_uneven = measured.is_uneven;
  const auto add = [](std::optional<int64_t>& sum, const std::optional<int64_t>& one) {
    sum = sum && one ? std::optional(AddSaturated(*sum, *one)) : std::nullopt;
  };
  add(work.flop, measured.has_flop ? std::llround(AllFlop(measured)) : launch.flop);
  add(work.bytes, measured.has_bytes ? std::llround(measured.bytes) : launch.bytes);
}

}  // namespace

ByKernel<WorkOfKernel> WorkByKernel(const AnalysisContext& context) {
  std::unordered_map<uint32_t, const WorkOfNode*> shapes;  // by node of the operator
  const std::vector<WorkOfNode> known = WorkByShapes(context);
  for (const WorkOfNode& row : known) shapes[row.op.value] = &row;
  // Calls of one operator on one call path share one total of work. If they have several launch
  // configurations, the work of each configuration is unknown.
  struct Calls {
    int64_t count = 0;
    KernelKey key;
    bool several = false;
  };
  std::unordered_map<uint32_t, Calls> calls;
  std::unordered_map<uint32_t, bool> products;  // by name
  const auto is_product = [&](const PhaseOperation& operation, uint32_t name) {
    const auto [product, is_new] = products.try_emplace(name);
    const FrameId frame = context.levels.at(operation.node).operation;
    if (is_new) product->second = frame && IsProduct(context, frame);
    return product->second;
  };
  const auto op_of = [&](const PhaseOperation& operation,
                         const KernelKey& key) -> const WorkOfNode* {
    const auto found = shapes.find(context.levels.at(operation.node).op_node.value);
    if (found == shapes.end()) return nullptr;
    const WorkOfNode* op = found->second;
    const bool does_it =
        op->kernel == 0 ? is_product(operation, key.first) : op->kernel == key.first;
    return does_it ? op : nullptr;
  };
  ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey& key) {
    const WorkOfNode* op = op_of(operation, key);
    if (op == nullptr) return;
    Calls& of = calls[op->op.value];
    of.several = of.several || (of.count > 0 && of.key != key);
    of.key = key;
    ++of.count;
  });
  ByKernel<WorkOfKernel> out;
  LaunchReader reader(context);
  const Counters counters(context);
  ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey& key) {
    const auto [row, is_new] = out.try_emplace(key);
    WorkOfKernel& work = row->second;
    if (const KernelCounters* measured = counters.Find(key)) {
      AddMeasured(*measured, reader.At(key), work);
      return;
    }
    const WorkOfNode* op = op_of(operation, key);
    const bool shared = op != nullptr && !calls[op->op.value].several;
    const LaunchWork& launch = reader.At(key);
    const WorkFrom from = shared        ? WorkFrom::kShapes
                          : launch.flop ? WorkFrom::kLaunch
                                        : WorkFrom::kUnknown;
    if (is_new) {
      work.from = from;
    } else if (work.from != from && work.from != WorkFrom::kUnknown) {
      work.from = WorkFrom::kUnknown;
      work.why = "the shapes of some calls";
    }
    if (from == WorkFrom::kUnknown) {
      work.why = op != nullptr ? "which of its launches had which shapes" : launch.why;
    }
    if (work.from == WorkFrom::kUnknown) return;
    const int64_t count = shared ? calls[op->op.value].count : 1;
    work.flop = AddSaturated(*work.flop, (shared ? op->flop : *launch.flop) / count);
    if (!shared && !launch.bytes) {
      work.bytes.reset();
      work.why = launch.why;
    }
    if (!work.bytes) return;
    work.bytes = AddSaturated(*work.bytes, (shared ? op->bytes : *launch.bytes) / count);
  });
  return out;
}

}  // namespace gprofx::analyses
