#include "tests/bench/forecast/forecast_accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/forecast/collective.h"
#include "core/forecast/graph_forecast.h"
#include "core/forecast/tensor.h"
#include "tests/bench/forecast/forecast_fit.h"

namespace gprofx {
using namespace forecast;
namespace {

struct Mean {
  double sum = 0;
  size_t count = 0;
  void Add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

std::string Percents(const Mean& mean) {
  if (mean.count == 0) return "-";
  char text[32];
  snprintf(text, sizeof text, "%.1f", mean.value());
  return text;
}

double ErrorPercent(double forecast, double measured) {
  return std::abs(forecast - measured) / measured * 100;
}

// Measured over forecast, by name and by the GPU that was left out.
using Ratios = std::map<std::string, std::map<std::string, std::vector<double>>, std::less<>>;

void AddRow(const std::string& group, const std::string& device, const Mean& error,
            const Mean& published, const Mean& roofline, Accuracy& accuracy) {
  if (error.count == 0) return;
  accuracy.rows.push_back({group, device, std::to_string(error.count), Percents(error),
                           Percents(published), Percents(roofline)});
}

struct StepErrors {
  Mean ours, neusight, roofline;
  void Add(const ModelCase& one, double forecast) {
    ours.Add(ErrorPercent(forecast, one.ms));
    const auto published = [&one](const char* name, Mean& mean) {
      const auto found = one.published.find(name);
      if (found != one.published.end()) mean.Add(found->second);
    };
    published("neusight", neusight);
    published("roofline", roofline);
  }
};

void StepsOf(const ForecastData& data, const Device* device, const ForecastTable& table,
             Ratios& ratios, Accuracy& accuracy) {
  const Forecaster forecaster(table, *device);
  // The same if nobody had measured what it sustains.
  Device unmeasured = *device;
  unmeasured.gemm32 = unmeasured.copy = 0;
  const Forecaster by_class(table, unmeasured);
  StepErrors plain, fused, estimated;
  for (const ModelCase& one : data.cases) {
    if (one.device != device) continue;
    const ModelGraph& graph = data.graphs.at(one.name);
    const CaseName name = *ParseCaseName(one.name);
    const GraphForecast forecast = ForecastGraph(graph, PlanOf(name, graph), forecaster);
    (name.fused ? fused : plain).Add(one, forecast.ms);
    if (!name.fused) estimated.Add(one, ForecastGraph(graph, PlanOf(name, graph), by_class).ms);
    ratios["graph"][device->name].push_back(one.ms / forecast.ms);
    ratios[std::string(StepInterval(name.training))][device->name].push_back(one.ms / forecast.ms);
  }
  AddRow("step", device->name, plain.ours, plain.neusight, plain.roofline, accuracy);
  AddRow("step,unmeasured", device->name, estimated.ours, estimated.neusight, estimated.roofline,
         accuracy);
  AddRow("step,fused", device->name, fused.ours, fused.neusight, fused.roofline, accuracy);
}

// The sum of all nodes of one kind in a case, against the sum of their measured times.
void SumsOf(const ForecastData& data, const Device* device, const ForecastTable& table,
            Accuracy& accuracy) {
  const Forecaster forecaster(table, *device);
  std::map<WorkFamily, Mean> ours, roofline;
  for (const ModelCase& one : data.cases) {
    if (one.device != device || one.node_ms.empty()) continue;
    const ModelGraph& graph = data.graphs.at(one.name);
    const bool training = ParseCaseName(one.name)->training;
    std::map<WorkFamily, double> forecast, plain, measured;
    for (const GraphNode& node : graph.nodes) {
      const auto ms = one.node_ms.find(node.name);
      if (ms == one.node_ms.end() || node.ops.empty()) continue;
      const WorkFamily family = node.ops[0].work.family;
      measured[family] += ms->second;
      // A pass of a node was timed alone: one floor of the events for all of its kernels.
      bool timed[kGraphPasses] = {false, false, false};
      for (const GraphOp& op : node.ops) {
        if (!training && op.pass != GraphPass::kForward) continue;
        bool& pass = timed[static_cast<size_t>(op.pass)];
        const bool backward = op.pass == GraphPass::kBackward;
        const double stream_ms = forecaster.KernelMs(op.work, false);
        forecast[family] += stream_ms * (backward ? table.GradientFactor(node.kind) : 1);
        if (!pass) forecast[family] += forecaster.KernelMs(op.work, true) - stream_ms;
        plain[family] += PlainRooflineMs(op.work, forecaster.rates(NumberType::kFp32));
        pass = true;
      }
    }
    for (const auto& [family, ms] : measured) {
      ours[family].Add(ErrorPercent(forecast[family], ms));
      roofline[family].Add(ErrorPercent(plain[family], ms));
    }
  }
  for (const auto& [family, mean] : ours) {
    AddRow("sum," + std::string(WorkFamilyWord(family)), device->name, mean, {}, roofline[family],
           accuracy);
  }
}

void KernelsOf(const ForecastData& data, const Device* device, const ForecastTable& table,
               Ratios& ratios, Accuracy& accuracy) {
  const Forecaster forecaster(table, *device);
  std::map<WorkFamily, Mean> ours, roofline;
  for (const KernelRow& row : data.kernels) {
    if (row.device != device || !row.transformer) continue;
    const double ms = forecaster.KernelMs(row.work, true);
    ours[row.work.family].Add(ErrorPercent(ms, row.ms));
    roofline[row.work.family].Add(
        ErrorPercent(PlainRooflineMs(row.work, forecaster.rates(NumberType::kFp32)), row.ms));
    ratios[std::string(WorkFamilyWord(row.work.family))][device->name].push_back(row.ms / ms);
  }
  for (const auto& [family, mean] : ours) {
    AddRow(std::string(WorkFamilyWord(family)), device->name, mean, {}, roofline[family], accuracy);
  }
}

// Products on tensor cores of one measured device from those of another.
void TensorProducts(const ForecastData& data, Ratios& ratios, Accuracy& accuracy) {
  ForecastTable table;
  table.axes = data.axes;
  struct Pair {
    const char *source, *target;
    bool acceptance;
  };
  constexpr Pair kPairs[] = {{"H100-SXM", "A100-SXM-80GB", true},
                             {"A100-SXM-80GB", "H100-SXM", true},
                             {"H100-SXM", "L40S", false},
                             {"L40S", "H100-SXM", false}};
  const auto& axes = data.axes;
  for (const Pair& pair : kPairs) {
    const Device& source = **FindDevice(BuiltInDevices(), pair.source);
    const Device& target = **FindDevice(BuiltInDevices(), pair.target);
    for (const NumberType type : {NumberType::kBf16, NumberType::kFp8}) {
      const auto grid_of = [&](const char* device) {
        return std::find_if(data.grids.begin(), data.grids.end(), [&](const TensorGrid& grid) {
          return grid.device == device && grid.type == type;
        });
      };
      const auto from = grid_of(pair.source), to = grid_of(pair.target);
      if (from == data.grids.end() || to == data.grids.end()) continue;
      Mean ours, roofline;
      size_t index = 0;
      for (const double m : axes[0]) {
        for (const double n : axes[1]) {
          for (const double k : axes[2]) {
            const uint16_t steps = to->steps[index++];
            if (steps == kNoTime) continue;
            const double ms = kGridLeastUs * std::pow(kGridStep, steps) * 1e-3;
            const KernelWork work = ProductWork(WorkFamily::kTensorProduct, type, 1, m, k, n);
            const double forecast = CarryTensorProductMs(table, *from, source, work, target);
            ours.Add(ErrorPercent(forecast, ms));
            roofline.Add(ErrorPercent(PlainRooflineMs(work, RatesOf(target, type)), ms));
            if (pair.acceptance && index % 4 == 0)
              ratios["gemm"][target.name].push_back(ms / forecast);
          }
        }
      }
      AddRow(std::string(type == NumberType::kBf16 ? "gemm,bf16" : "gemm,fp8") + ",from," +
                 pair.source,
             pair.target, ours, {}, roofline, accuracy);
    }
  }
}

// Collectives of one measured device from those of the other.
void Collectives(const ForecastData& data, Ratios& ratios, Accuracy& accuracy) {
  for (const char* name : {"A100-SXM-80GB", "H100-SXM"}) {
    ForecastTable others;
    for (const CollectiveCurve& curve : data.collectives) {
      if (curve.device != name) others.collectives.push_back(curve);
    }
    const Device& device = **FindDevice(BuiltInDevices(), name);
    Mean ours;
    for (const CollectiveCurve& curve : data.collectives) {
      if (curve.device != name) continue;
      for (size_t i = 0; i < curve.us.size(); ++i) {
        const double bytes = std::exp2(curve.first_log2 + static_cast<double>(i));
        const double us =
            ForecastCollective(others, device, curve.operation, curve.gpus, bytes).ms * 1e3;
        ours.Add(ErrorPercent(us, curve.us[i]));
        ratios["collective"][name].push_back(curve.us[i] / us);
      }
    }
    AddRow("collective", name, ours, {}, {}, accuracy);
  }
}

// All work of a node, of all passes that ran.
struct NodeWork {
  double flop = 0, bytes = 0;
  KernelWork longest;
  bool any = false;
};
NodeWork WorkOf(const GraphNode& node, bool training) {
  NodeWork work;
  double most = -1;
  for (const GraphOp& op : node.ops) {
    if (!training && op.pass != GraphPass::kForward) continue;
    work.flop += op.work.Flop();
    work.bytes += op.work.Bytes();
    const double size = op.work.Flop() + op.work.Bytes();
    if (size > most) {
      most = size;
      work.longest = op.work;
      work.any = true;
    }
  }
  return work;
}

// An interval of all left-out GPUs, each with the same weight. It is checked on each GPU by the
// interval of the others.
void SetIntervals(const Ratios& ratios, Accuracy& accuracy) {
  constexpr size_t kOfGpu = 1000;
  const auto pooled = [](const std::map<std::string, std::vector<double>>& groups,
                         const std::string& without) {
    std::vector<double> pool;
    for (const auto& [gpu, list] : groups) {
      if (gpu == without) continue;
      std::vector<double> sorted = list;
      std::sort(sorted.begin(), sorted.end());
      for (size_t i = 0; i < kOfGpu; ++i) {
        pool.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * kOfGpu)]);
      }
    }
    return PercentilesOf(std::move(pool));
  };
  // Few GPUs tell little of the next one: the percentiles of the others are widened, as logarithms,
  // until they hold what they are to hold on each GPU that they do not know.
  constexpr double kWanted = 0.82, kStep = 1.05, kMaxWider = 4;
  for (const auto& [name, groups] : ratios) {
    std::map<std::string, Interval> others;
    for (const auto& [gpu, list] : groups) others[gpu] = pooled(groups, gpu);
    const auto wider = [](const Interval& interval, double factor) {
      return Interval{std::pow(std::min(interval.low, 0.98), factor),
                      std::pow(std::max(interval.high, 1.02), factor)};
    };
    const auto held = [&](double factor) {
      double share = 0;
      for (const auto& [gpu, list] : groups) {
        const Interval interval = wider(others[gpu], factor);
        share +=
            static_cast<double>(std::count_if(
                list.begin(), list.end(),
                [&](double ratio) { return ratio >= interval.low && ratio <= interval.high; })) /
            static_cast<double>(list.size() * groups.size());
      }
      return share;
    };
    double factor = 1;
    if (groups.size() < 3) others.clear();  // two tell nothing of a third
    for (const auto& [gpu, list] : groups) others.try_emplace(gpu, pooled(groups, ""));
    while (held(factor) < kWanted && factor < kMaxWider) factor *= kStep;
    accuracy.coverage[name] = held(factor);
    accuracy.intervals[name] = wider(pooled(groups, ""), factor);
  }
}

}  // namespace

Accuracy LeaveOneOut(const ForecastData& data) {
  Accuracy accuracy;
  Ratios ratios;
  for (const char* name : {"A100-PCIe-40GB", "V100-PCIe", "P100-PCIe", "T4", "A100-PCIe-80GB"}) {
    const Device* device = *FindDevice(BuiltInDevices(), name);
    ForecastTable table;
    FitKernels(data, device, table);
    FitGradients(data, device, table);
    table.collectives = data.collectives;
    StepsOf(data, device, table, ratios, accuracy);
    KernelsOf(data, device, table, ratios, accuracy);
    SumsOf(data, device, table, accuracy);
  }
  TensorProducts(data, ratios, accuracy);
  Collectives(data, ratios, accuracy);
  for (const PairError& pair : TransferErrors(data)) {
    Mean ours, two_rates;
    ours.sum = pair.ours * static_cast<double>(pair.cases);
    ours.count = pair.cases;
    AddRow("step,nodes,of," + pair.source, pair.target, ours, {}, {}, accuracy);
  }
  std::stable_sort(accuracy.rows.begin(), accuracy.rows.end(),
                   [](const AccuracyRow& a, const AccuracyRow& b) { return a.group < b.group; });
  SetIntervals(ratios, accuracy);
  // Two GPUs trained, both slower than their kernels; a third one may not be.
  Interval& training = accuracy.intervals["step,training"];
  training.low = std::min(training.low, accuracy.intervals["step,inference"].low);
  accuracy.intervals["copy"] = accuracy.intervals["elementwise"];
  accuracy.intervals["transfer"] = accuracy.intervals["graph"];
  return accuracy;
}

std::vector<PairError> TransferErrors(const ForecastData& data) {
  constexpr double kFloorMs = 0.008;
  std::map<std::pair<const Device*, std::string>, const ModelCase*> by_name;
  for (const ModelCase& one : data.cases) {
    if (!one.node_ms.empty()) by_name[{one.device, one.name}] = &one;
  }
  std::vector<PairError> errors;
  const ForecastTable none;
  for (const Device& source : BuiltInDevices()) {
    for (const Device& target : BuiltInDevices()) {
      if (&source == &target) continue;
      Mean two_rates, ours;
      const DeviceRates from = RatesOf(source, NumberType::kFp32);
      const DeviceRates to = RatesOf(target, NumberType::kFp32);
      for (const auto& [key, one] : by_name) {
        if (key.first != &source) continue;
        const auto truth = by_name.find({&target, one->name});
        if (truth == by_name.end()) continue;
        const ModelGraph& graph = data.graphs.at(one->name);
        const CaseName name = *ParseCaseName(one->name);
        double nodes = 0, plain = 0, carried = 0;
        for (const GraphNode& node : graph.nodes) {
          const auto measured = one->node_ms.find(node.name);
          if (measured == one->node_ms.end() || measured->second <= 0) continue;
          const double times = node.in_layer ? name.layers : 1;
          const NodeWork work = WorkOf(node, name.training);
          const auto limit = [&](const DeviceRates& rates) {
            return std::max(work.flop / rates.flops, work.bytes / rates.bytes);
          };
          const double scale = work.bytes > 0 ? limit(to) / limit(from) : 1;
          const double floor = std::min(kFloorMs, measured->second);
          nodes += times * measured->second;
          plain += times * (floor + (measured->second - floor) * scale);
          MeasuredKernel kernel;
          kernel.ms = measured->second;
          kernel.flop = work.flop;
          kernel.bytes = work.bytes;
          kernel.family = work.longest.family;
          kernel.floor_ms = kFloorMs;
          carried += times * TransferKernel(none, kernel, source, target).ms;
        }
        const double run = one->ms / nodes;
        two_rates.Add(ErrorPercent(plain * run, truth->second->ms));
        ours.Add(ErrorPercent(carried * run, truth->second->ms));
      }
      if (ours.count > 0) {
        errors.push_back({source.name, target.name, ours.count, two_rates.value(), ours.value()});
      }
    }
  }
  return errors;
}

}  // namespace gprofx
