// The acceptance table of forecasts, from the public measurements: bench_forecast DATA-FOLDER
// [tests/data/forecast], with that folder also on a GPU of which no row is in the fit.
//
// For each GPU everything is fitted again without it; beside our error stand what NeuSight
// published for the same cases, the roofline, and the transfer of measured nodes by two rates. Exit
// status 1 where a bar is missed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/forecast/data.h"
#include "core/forecast/kernel.h"
#include "tests/bench/forecast/forecast_accuracy.h"
#include "tests/bench/forecast/forecast_data.h"
#include "tests/bench/forecast/forecast_unseen.h"

namespace gprofx {
using namespace forecast;
namespace {

int missed = 0;

void Line(const std::string& what, const std::string& who, double value, double bar,
          const std::string& beside, const char* unit = "%") {
  const bool has_bar = bar > 0;
  const bool held = !has_bar || value <= bar;
  missed += held ? 0 : 1;
  char bar_text[32] = "-";
  if (has_bar) snprintf(bar_text, sizeof bar_text, "<= %.4g%s", bar, unit);
  printf("%-34s %-32s %8.2f%-2s %-10s %-6s %s\n", what.c_str(), who.c_str(), value, unit, bar_text,
         has_bar ? (held ? "held" : "MISSED") : "", beside.c_str());
}

double Number(const std::string& text) { return strtod(text.c_str(), nullptr); }

std::string Beside(const AccuracyRow& row) {
  return "NeuSight " + row.reference + ", roofline " + row.roofline;
}

// Rows of a group with a bar for each and one for the mean.
void Group(const Accuracy& accuracy, const std::string& group, const char* title, double bar,
           double mean_bar) {
  double sum = 0, count = 0;
  for (const AccuracyRow& row : accuracy.rows) {
    if (row.group != group) continue;
    Line(title, row.device + " (" + row.cases + ")", Number(row.error), bar, Beside(row));
    sum += Number(row.error);
    count += 1;
  }
  if (count > 1) Line(title, "mean", sum / count, mean_bar, "");
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

void Transfers(const ForecastData& data) {
  double ours = 0, plain = 0;
  size_t pairs = 0;
  for (const PairError& pair : TransferErrors(data)) {
    char beside[64];
    snprintf(beside, sizeof beside, "two rates %.1f", pair.two_rates);
    // Its forward passes wait for memory, which nodes that were measured alone do not show.
    const bool training = pair.source == "A100-PCIe-80GB" || pair.target == "A100-PCIe-80GB";
    Line("step from measured nodes", pair.source + " -> " + pair.target, pair.ours, 8, beside);
    if (training) continue;
    ours += pair.ours;
    plain += pair.two_rates;
    ++pairs;
  }
  if (pairs == 0) return;
  char beside[64];
  snprintf(beside, sizeof beside, "two rates %.1f", plain / static_cast<double>(pairs));
  Line("step from measured nodes", "mean, inference", ours / static_cast<double>(pairs), 5, beside);
}

void Unseen(const std::string& folder, const std::string& data) {
  for (const UnseenError& error : UnseenErrors(folder, data + "/neusight/opgraph")) {
    char beside[64];
    snprintf(beside, sizeof beside, "bias %+.1f, in the interval %.0f %%", error.bias,
             error.in_interval * 100);
    Line(error.what, "H100, never fitted (" + std::to_string(error.count) + ")", error.error,
         error.what.starts_with("step") ? 5 : 0, beside);
  }
}

void Cost(double training_seconds) {
  Line("training and leaving out, all", "", training_seconds, 60, "", "s");
  Line("trained table", "", static_cast<double>(kTrainedTable.size()) / 1e6, 1, "", "MB");
  const Device& source = **FindDevice(BuiltInDevices(), "A100-SXM-80GB");
  const Device& target = **FindDevice(BuiltInDevices(), "H100-SXM");
  const auto begin = std::chrono::steady_clock::now();
  double sum = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    MeasuredKernel kernel;
    kernel.ms = 0.01 + i % 100;
    kernel.flop = 1e9 + i;
    kernel.bytes = 1e6 + i;
    sum += TransferKernel(BuiltInTable(), kernel, source, target).ms;
  }
  Line("forecast of 1e6 measured kernels", "", Seconds(begin), 1, sum > 0 ? "" : "nothing", "s");
  const Forecaster forecaster(BuiltInTable(), target);
  const auto second = std::chrono::steady_clock::now();
  for (int i = 0; i < 1'000'000; ++i) {
    sum += forecaster.KernelMs(ProductWork(WorkFamily::kLinear, NumberType::kFp32, 1, 1 + i % 4096,
                                           1 + i % 8191, 1 + i % 1023),
                               true);
  }
  Line("forecast of 1e6 products", "", Seconds(second), 0, sum > 0 ? "" : "nothing", "s");
}

}  // namespace
}  // namespace gprofx

int main(int argc, char** argv) {
  using namespace gprofx;
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "Usage: bench_forecast DATA-FOLDER [tests/data/forecast]\n");
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const ForecastData data = ReadForecastData(argv[1]);
  const Accuracy accuracy = LeaveOneOut(data);
  const double seconds = Seconds(begin);
  printf("%-34s %-32s %10s %-10s\n", "quantity", "GPU left out (cases)", "ours", "bar");
  Group(accuracy, "step", "step from the graph", 10, 7);
  Group(accuracy, "step,unmeasured", "the same, rates of its class", 0, 0);
  Group(accuracy, "step,fused", "fused step from the graph", 12, 12);
  Transfers(data);
  Group(accuracy, "sum,bmm", "sum of all bmm of a case", 12, 12);
  Group(accuracy, "sum,linear", "sum of all linear of a case", 12, 12);
  Group(accuracy, "sum,elementwise", "sum of all elementwise of a case", 15, 15);
  Group(accuracy, "sum,softmax", "sum of all softmax of a case", 12, 12);
  Group(accuracy, "sum,ln", "sum of all ln of a case", 25, 25);
  for (const char* family : {"linear", "bmm", "elementwise", "softmax", "ln"}) {
    Group(accuracy, family, (std::string("rows of ") + family).c_str(), 0, 0);
  }
  for (const AccuracyRow& row : accuracy.rows) {
    if (row.group.rfind("gemm", 0) != 0) continue;
    const bool bar = row.group == "gemm,bf16,from,H100-SXM"
                         ? row.device == "A100-SXM-80GB"
                         : row.group == "gemm,bf16,from,A100-SXM-80GB";
    Line(row.group, row.device + " (" + row.cases + ")", Number(row.error), bar ? 15 : 0,
         Beside(row));
  }
  Group(accuracy, "collective", "collectives", 0, 0);
  for (const auto& [name, share] : accuracy.coverage) {
    char text[64];
    snprintf(text, sizeof text, "%.0f %% between, wanted 75 to 90", share * 100);
    missed += share < 0.75 || share > 0.9 ? 1 : 0;
    printf("%-34s %-32s %s%s\n", "80 % interval holds the truth", name.c_str(), text,
           share < 0.75 || share > 0.9 ? "  MISSED" : "  held");
  }
  if (argc == 3) Unseen(argv[2], argv[1]);
  Cost(seconds);
  printf("%d bars missed\n", missed);
  return missed > 0 ? 1 : 0;
}
