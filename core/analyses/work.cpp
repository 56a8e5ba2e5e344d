#include "core/analyses/work.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "core/analyses/parts.h"
#include "core/arithmetic.h"
#include "core/kernel_family.h"
#include "core/launch_work.h"

namespace gprofx {
namespace {

// Dense peaks in 10^12 a second and memory in 10^9 bytes a second, from the data sheets. f32 runs
// on the ordinary cores, tf32, f16 and bf16 on tensor (matrix) cores.
struct Sheet {
  std::string_view name;  // whole words of the device's
  double f64, f32, tf32, f16, bf16, e4m3, memory;
};
constexpr Sheet kSheets[] = {
    {"H200", 33.5, 66.9, 494.7, 989.4, 989.4, 1978.9, 4800},
    {"H100 80GB HBM3", 33.5, 66.9, 494.7, 989.4, 989.4, 1978.9, 3352},
    {"H100 PCIe", 25.6, 51.2, 378, 756, 756, 1513, 2039},
    {"A100-SXM4-80GB", 9.7, 19.5, 156, 312, 312, 0, 2039},
    {"A100-SXM4-40GB", 9.7, 19.5, 156, 312, 312, 0, 1555},
    {"A100-PCIE-40GB", 9.7, 19.5, 156, 312, 312, 0, 1555},
    {"V100-SXM2", 7.8, 15.7, 0, 125, 0, 0, 900},
    {"Tesla T4", 0.25, 8.1, 0, 65, 0, 0, 320},
    {"L40S", 1.43, 91.6, 183, 362, 362, 733, 864},
    {"L4", 0.47, 30.3, 60, 121, 121, 242, 300},
    {"MI300X", 81.7, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 5300},
};

// An L40 is no L4.
bool HoldsWords(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos) return false;
  const size_t end = at + words.size();
  return (at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ');
}

bool IsProduct(const AnalysisContext& context, FrameId operation) {
  const Frame& frame = context.profile.frame(operation);
  if (frame.kind != FrameKind::kGpuKernel || !frame.function) return false;
  const std::string_view name =
      context.profile.Text(context.profile.function(frame.function).name);
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
    out.push_back(work);
  }
  std::sort(out.begin(), out.end(),
            [](const WorkOfNode& a, const WorkOfNode& b) { return a.op < b.op; });
  return out;
}

// What launches tell, once for each name and configuration.
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
  std::map<KernelKey, LaunchWork> known_;
};

// Calls take(operation, key) for each kernel that begins in what is shown.
template <class Take>
void ForEachKernel(const AnalysisContext& context, const Take& take) {
  for (size_t i = 0; i < context.events.configs.size(); ++i) {
    const PhaseOperation& operation = context.events.operations[i];
    if (!operation.node || !context.BeginsInside(operation)) continue;
    const uint32_t name = KeyAt(context.profile, context.levels, Level::kKernel, operation.node);
    take(operation, KernelKey(name, context.events.configs[i].value));
  }
}

void AddLaunches(const AnalysisContext& context, std::vector<WorkOfNode>& out) {
  LaunchReader reader(context);
  std::map<std::pair<uint32_t, uint32_t>, WorkOfNode> rows;  // by node and name
  ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey& key) {
    const LaunchWork& work = reader.At(key);
    if (!work.bytes) return;
    WorkOfNode& row = rows[{operation.node.value, key.first}];
    row.op = operation.node;
    row.kernel = key.first;
    row.from = WorkFrom::kLaunch;
    row.flop = AddSaturated(row.flop, *work.flop);
    row.bytes = AddSaturated(row.bytes, *work.bytes);
    row.kernel_ns = AddSaturated(row.kernel_ns, context.LengthOf(operation));
  });
  for (auto& [_, row] : rows) {
    if (row.kernel_ns > 0) out.push_back(row);
  }
}

}  // namespace

std::vector<WorkOfNode> FindWork(const AnalysisContext& context) {
  std::vector<WorkOfNode> out = WorkByShapes(context);
  AddLaunches(context, out);
  return out;
}

AnalysisCell KnownShare(const AnalysisContext& context, int64_t known_ns, int64_t kernel_ns) {
  return context.is_estimated ? AnalysisCell() : Share(known_ns, kernel_ns);
}

std::string WorkNote(const AnalysisContext& context, std::span<const WorkOfNode> work) {
  int64_t shapes = 0, launch = 0;
  for (const WorkOfNode& row : work) {
    int64_t& sum = row.from == WorkFrom::kShapes ? shapes : launch;
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
    return "FLOP and bytes: neither shapes of operators nor launches of elementwise kernels tell "
           "them";
  }
  std::string text = "FLOP and bytes: ";
  if (shapes > 0) {
    text += "of products of matrices, by the shapes of their operators, " + percent(shapes) +
            " of the kernels' time";
  }
  if (launch > 0) {
    text += (shapes > 0 ? "; " : "") + std::string("of elementwise kernels, by name and launch, ") +
            percent(launch) + (shapes > 0 ? "" : " of the kernels' time");
  }
  return text + (context.is_estimated ? "; of the records alone" : "");
}

std::map<KernelKey, WorkOfKernel> WorkByKernel(const AnalysisContext& context) {
  std::unordered_map<uint32_t, const WorkOfNode*> shapes;  // by node of the operator
  const std::vector<WorkOfNode> known = WorkByShapes(context);
  for (const WorkOfNode& row : known) shapes[row.op.value] = &row;
  // Calls of one operator on one path share its work; where they were launched in several ways it
  // is not told which of them had how much.
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
  std::map<KernelKey, WorkOfKernel> out;
  LaunchReader reader(context);
  ForEachKernel(context, [&](const PhaseOperation& operation, const KernelKey& key) {
    const auto [row, is_new] = out.try_emplace(key);
    WorkOfKernel& work = row->second;
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
    work.flop = AddSaturated(work.flop, (shared ? op->flop : *launch.flop) / count);
    if (!shared && !launch.bytes) {
      work.bytes.reset();
      work.why = launch.why;
    }
    if (!work.bytes) return;
    work.bytes = AddSaturated(*work.bytes, (shared ? op->bytes : *launch.bytes) / count);
  });
  return out;
}

std::string TypeOfWork(const AnalysisContext& context, const WorkOfNode& work) {
  if (work.from == WorkFrom::kLaunch) return "f32";
  if (work.kernel == 0) return "";
  const KernelWhat what = WhatKernelDoes(context.profile.Text(StringId{work.kernel}));
  return std::string(TypeInName(what.what));
}

std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type) {
  const auto sheet = std::find_if(std::begin(kSheets), std::end(kSheets), [&](const Sheet& row) {
    return HoldsWords(device, row.name);
  });
  if (sheet == std::end(kSheets)) return std::nullopt;
  const double peak = type == "f64"    ? sheet->f64
                      : type == "f32"  ? sheet->f32
                      : type == "tf32" ? sheet->tf32
                      : type == "f16"  ? sheet->f16
                      : type == "bf16" ? sheet->bf16
                      : type == "e4m3" ? sheet->e4m3
                                       : 0;
  if (peak <= 0) return std::nullopt;
  return DevicePeaks{peak * 1e12, sheet->memory * 1e9};
}

std::string_view TypeInName(std::string_view short_name) {
  for (size_t begin = 0; begin < short_name.size();) {
    const size_t end = std::min(short_name.find(' ', begin), short_name.size());
    const std::string_view word = short_name.substr(begin, end - begin);
    for (const std::string_view type : {"f64", "f32", "tf32", "f16", "bf16", "e4m3"}) {
      if (word == type) return type;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace gprofx
