#include "tests/bench/forecast/forecast_unseen.h"

#include <cmath>

#include "core/forecast/graph_forecast.h"
#include "formats/database/packed_text.h"
#include "tests/bench/forecast/forecast_rows.h"

namespace gprofx {
using namespace forecast;
namespace {

constexpr const char* kDevice = "H100-SXM";

class Errors {
 public:
  explicit Errors(std::string what) { sums_.what = std::move(what); }

  void Add(double ms, double low_ms, double high_ms, double measured_ms) {
    ++sums_.count;
    sums_.error += std::abs(ms / measured_ms - 1) * 100;
    sums_.bias += std::log(ms / measured_ms) * 100;
    sums_.in_interval += measured_ms >= low_ms && measured_ms <= high_ms ? 1 : 0;
  }

  UnseenError Mean() const {
    UnseenError mean = sums_;
    const double count = std::max<double>(1, static_cast<double>(mean.count));
    mean.error /= count;
    mean.bias /= count;
    mean.in_interval /= count;
    return mean;
  }

 private:
  UnseenError sums_;
};

void AddSteps(const std::string& folder, const std::string& graphs, const Forecaster& forecaster,
              std::vector<UnseenError>& out) {
  Errors all("step from the graph"), large("the same, GPT-3 and OPT");
  EachRow(folder + "/h100_steps.csv", [&](const auto& cell) {
    const std::string file = graphs + "/" + cell("case") + ".csv.zst";
    const ModelGraph graph = OrEnd(ParseGraph(OrEnd(ReadPackedText(file)), file));
    const CaseName name = OrEnd(ParseCaseName(cell("case")));
    const GraphForecast forecast = ForecastGraph(graph, PlanOf(name, graph), forecaster);
    const double ms = CellNumber(cell("ms"));
    all.Add(forecast.ms, forecast.low_ms, forecast.high_ms, ms);
    if (name.model.starts_with("gpt3") || name.model.starts_with("opt")) {
      large.Add(forecast.ms, forecast.low_ms, forecast.high_ms, ms);
    }
  });
  out.push_back(all.Mean());
  out.push_back(large.Mean());
}

void AddKernels(const std::string& folder, const Forecaster& forecaster,
                std::vector<UnseenError>& out) {
  std::map<WorkFamily, Errors> errors;
  EachRow(folder + "/h100_kernels.csv", [&](const auto& cell) {
    const std::optional<WorkFamily> family = ParseWorkFamily(cell("family"));
    if (!family) return;
    const KernelWork work = WorkOfRow(*family, cell("op"), cell);
    const KernelForecast forecast = forecaster.Kernel(work, true);
    errors.try_emplace(*family, "rows of " + cell("family"))
        .first->second.Add(forecast.ms, forecast.low_ms, forecast.high_ms, CellNumber(cell("ms")));
  });
  for (const auto& [family, sums] : errors) out.push_back(sums.Mean());
}

}  // namespace

std::vector<UnseenError> UnseenErrors(const std::string& folder, const std::string& graphs) {
  const Forecaster forecaster(BuiltInTable(), **FindDevice(BuiltInDevices(), kDevice));
  std::vector<UnseenError> errors;
  AddSteps(folder, graphs, forecaster, errors);
  AddKernels(folder, forecaster, errors);
  return errors;
}

}  // namespace gprofx
