// Public measurements of kernels and models, as shared/data/forecast has them (its README says what
// is what): read for training and for the acceptance table.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/forecast/device/table.h"
#include "core/forecast/graph.h"
#include "core/forecast/work.h"

namespace gprofx {
using namespace forecast;

struct KernelRow {
  const Device* device = nullptr;
  KernelWork work;
  double ms = 0;
  bool transformer = false;  // a shape of a transformer: the files called test
};

struct ModelCase {
  const Device* device = nullptr;
  std::string folder, name;
  double ms = 0, forward_ms = 0;
  std::map<std::string, double> published;  // percent, by predictor
  std::map<std::string, double> node_ms;    // measured nodes of one layer, all passes
  std::map<std::string, std::array<double, kGraphPasses>> node_pass_ms;  // the same by pass
};

struct ForecastData {
  std::vector<KernelRow> kernels;
  std::vector<ModelCase> cases;
  std::map<std::string, ModelGraph> graphs;
  std::array<std::vector<double>, 3> axes;
  std::vector<TensorGrid> grids;
  std::vector<CollectiveCurve> collectives;
};

// `folder`: shared/data/forecast. Ends the program with one line where a file is missing.
ForecastData ReadForecastData(const std::string& folder);

}  // namespace gprofx
