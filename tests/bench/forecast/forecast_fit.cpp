#include "tests/bench/forecast/forecast_fit.h"

#include <algorithm>
#include <cmath>

#include "core/forecast/kernel.h"

namespace gprofx {
using namespace forecast;
namespace {

constexpr size_t kRowsOfDevice = 900;  // of a family and file, evenly picked
constexpr int kSteps = 25;
constexpr double kOutlier = 0.15;  // a logarithm beyond which a row counts less
constexpr double kPrior = 0.02;    // pull towards the start, so that nothing runs away
constexpr double kUnaligned =
    0.2;  // weight of rows that no model has: lengths that four do not divide

const std::vector<double>& StartOf(WorkFamily family) {
  static const std::vector<double> kProduct = {3.3, 2, -1, -0.4, 3,   0.05, -2.5,
                                               3,   2, 2,  1.2,  0.5, 0.8,  0};
  static const std::vector<double> kRow = {2.5, 0, -0.7, 0.5, -1.5, 0, -0.7, 2, 0};
  // What fits into L1 costs little to read again.
  static const std::vector<double> kSoftmax = {2.5, 0, -0.7, 0.5, -1.5, -1, -0.7, 2, 0};
  if (family == WorkFamily::kSoftmax) return kSoftmax;
  return family == WorkFamily::kLinear || family == WorkFamily::kBatchedProduct ? kProduct : kRow;
}

struct FitRow {
  KernelWork work;
  DeviceRates rates;
  double log_ms, weight;
};

std::vector<FitRow> Pick(const ForecastData& data, WorkFamily family, const Device* left_out) {
  std::map<std::pair<const Device*, bool>, std::vector<const KernelRow*>> groups;
  for (const KernelRow& row : data.kernels) {
    // The products of P4 are suspect: a fifth of its peak where others reach half.
    if (row.work.family != family || row.device == left_out || row.device->name == "P4") continue;
    // From here on Pascal takes twice as long, where later generations lose a tenth.
    constexpr double kLongOnPascal = 8192;
    if (family == WorkFamily::kLinear && row.device->capability < 70 &&
        row.work.n > kLongOnPascal) {
      continue;
    }
    groups[{row.device, row.transformer}].push_back(&row);
  }
  std::vector<FitRow> rows;
  for (const Device& device : BuiltInDevices()) {  // in the order of the table, not of addresses
    for (const bool transformer : {false, true}) {
      const auto group = groups.find({&device, transformer});
      if (group == groups.end()) continue;
      const auto& list = group->second;
      const size_t count = std::min(kRowsOfDevice, list.size());
      for (size_t i = 0; i < count; ++i) {
        const KernelRow& row = *list[i * list.size() / count];
        const bool by_row = family == WorkFamily::kSoftmax || family == WorkFamily::kNorm;
        const double weight = (row.transformer ? 1.5 : 1) * (row.ms < 0.1 ? 0.5 : 1) *
                              (by_row && std::fmod(row.work.k, 4) != 0 ? kUnaligned : 1);
        rows.push_back(
            {row.work, RatesOf(*row.device, NumberType::kFp32), std::log(row.ms), weight});
      }
    }
  }
  return rows;
}

// Solves a * x = b for a symmetric positive a, by Cholesky; b becomes x.
void Solve(std::vector<double>& a, std::vector<double>& b) {
  const size_t n = b.size();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

class Fit {
 public:
  Fit(std::vector<FitRow> rows, const std::vector<double>& start)
      : rows_(std::move(rows)), start_(start), p_(start) {}

  // Levenberg-Marquardt with weights that fall for outliers.
  std::vector<double> Run() {
    double damping = 1e-2;
    std::vector<double> residuals = Residuals(p_);
    double cost = Cost(residuals, p_);
    for (int step = 0; step < kSteps; ++step) {
      const size_t n = p_.size();
      std::vector<std::vector<double>> slopes(n);
      for (size_t i = 0; i < n; ++i) {
        constexpr double kMove = 1e-3;
        std::vector<double> moved = p_;
        moved[i] += kMove;
        slopes[i] = Residuals(moved);
        for (size_t row = 0; row < slopes[i].size(); ++row) {
          slopes[i][row] = (slopes[i][row] - residuals[row]) / kMove;
        }
      }
      std::vector<double> matrix(n * n, 0.0), gradient(n, 0.0);
      for (size_t row = 0; row < rows_.size(); ++row) {
        const double weight = rows_[row].weight / Robust(residuals[row]);
        for (size_t i = 0; i < n; ++i) {
          gradient[i] -= weight * slopes[i][row] * residuals[row];
          for (size_t j = 0; j <= i; ++j) {
            matrix[i * n + j] += weight * slopes[i][row] * slopes[j][row];
          }
        }
      }
      const double prior = kPrior * static_cast<double>(rows_.size()) / 100;
      for (size_t i = 0; i < n; ++i) {
        gradient[i] -= prior * (p_[i] - start_[i]);
        matrix[i * n + i] += prior;
      }
      bool better = false;
      for (int attempt = 0; attempt < 6 && !better; ++attempt) {
        std::vector<double> damped = matrix, move = gradient;
        for (size_t i = 0; i < n; ++i) damped[i * n + i] *= 1 + damping;
        Solve(damped, move);
        std::vector<double> next = p_;
        for (size_t i = 0; i < n; ++i) next[i] += std::clamp(move[i], -1.0, 1.0);
        std::vector<double> next_residuals = Residuals(next);
        const double next_cost = Cost(next_residuals, next);
        better = next_cost < cost;
        damping = better ? damping / 5 : damping * 5;
        if (!better) continue;
        const bool done = cost - next_cost < 1e-5 * cost;
        p_ = std::move(next);
        residuals = std::move(next_residuals);
        cost = next_cost;
        if (done) return p_;
      }
      if (!better) break;
    }
    return p_;
  }

 private:
  static double Robust(double residual) {
    const double x = residual / kOutlier;
    return std::sqrt(1 + x * x);
  }

  std::vector<double> Residuals(const std::vector<double>& p) const {
    std::vector<double> residuals;
    residuals.reserve(rows_.size());
    for (const FitRow& row : rows_) {
      residuals.push_back(std::log(ModelMs(row.work, row.rates, p, true)) - row.log_ms);
    }
    return residuals;
  }

  double Cost(const std::vector<double>& residuals, const std::vector<double>& p) const {
    double cost = 0;
    for (size_t i = 0; i < residuals.size(); ++i) {
      cost += rows_[i].weight * 2 * kOutlier * kOutlier * (Robust(residuals[i]) - 1);
    }
    const double prior = kPrior * static_cast<double>(rows_.size()) / 100;
    for (size_t i = 0; i < p.size(); ++i) cost += prior * (p[i] - start_[i]) * (p[i] - start_[i]);
    return cost;
  }

  std::vector<FitRow> rows_;
  std::vector<double> start_, p_;
};

}  // namespace

void FitKernels(const ForecastData& data, const Device* left_out, ForecastTable& table) {
  for (const WorkFamily family :
       {WorkFamily::kLinear, WorkFamily::kBatchedProduct, WorkFamily::kElementwise,
        WorkFamily::kSoftmax, WorkFamily::kNorm}) {
    const size_t index = static_cast<size_t>(family);
    table.parameters[index] = Fit(Pick(data, family, left_out), StartOf(family)).Run();
    SizeRange range{INFINITY, 0};
    for (const KernelRow& row : data.kernels) {
      if (row.work.family != family || row.device == left_out) continue;
      const double size = row.work.IsProduct() ? row.work.Flop() : row.work.Bytes();
      range.least = std::min(range.least, size);
      range.most = std::max(range.most, size);
    }
    table.ranges[index] = range;
  }
  // A copy streams as an elementwise kernel does.
  const size_t copy = static_cast<size_t>(WorkFamily::kCopy);
  const size_t elementwise = static_cast<size_t>(WorkFamily::kElementwise);
  table.parameters[copy] = table.parameters[elementwise];
  table.ranges[copy] = table.ranges[elementwise];
}

void FitGradients(const ForecastData& data, const Device* left_out, ForecastTable& table) {
  constexpr double kFloorMs = 0.025,
                   kShortMs = 0.1;  // of the events; below, it is most of the time
  constexpr double kMin = 0.4, kMax = 6;
  struct Logs {
    double sum = 0, count = 0;
  };
  std::map<std::string, Logs> logs;
  for (const ModelCase& one : data.cases) {
    if (one.device == left_out || !ParseCaseName(one.name)->training) continue;
    const Forecaster forecaster(table, *one.device);
    for (const GraphNode& node : data.graphs.at(one.name).nodes) {
      const auto measured = one.node_pass_ms.find(node.name);
      // A product's gradients are the products that the graph says. Dropout that is measured alone
      // makes its mask again, and the larger of two tensors takes twice as long as in a step.
      if (node.kind == "Linear" || node.kind == "dropout" || node.kind == "misc" ||
          measured == one.node_pass_ms.end() || measured->second[1] < kShortMs) {
        continue;
      }
      double forecast = 0;
      for (const GraphOp& op : node.ops) {
        if (op.pass == GraphPass::kBackward) forecast += forecaster.KernelMs(op.work, false);
      }
      if (forecast == 0) continue;
      logs[node.kind].count += 1;
      logs[node.kind].sum += std::log((measured->second[1] - kFloorMs) / forecast);
    }
  }
  for (const auto& [kind, log] : logs) {
    table.gradients[kind] = std::clamp(std::exp(log.sum / log.count), kMin, kMax);
  }
}

Interval PercentilesOf(std::vector<double> ratios) {
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double part) {
    return ratios[static_cast<size_t>(part * static_cast<double>(ratios.size() - 1) + 0.5)];
  };
  return {at(0.1), at(0.9)};
}

}  // namespace gprofx
