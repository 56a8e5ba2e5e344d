#include "tests/bench/forecast/forecast_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/bench/forecast/forecast_rows.h"

namespace gprofx {
namespace {

const Device* DeviceOf(const std::string& name) {
  const Result<const Device*> device = FindDevice(BuiltInDevices(), name);
  return device ? *device : nullptr;
}

void ReadKernels(const std::string& path, WorkFamily family, bool transformer, ForecastData& data) {
  std::map<std::string, const Device*> devices;
  EachRow(path, [&](const auto& cell) {
    auto [device, fresh] = devices.try_emplace(cell("Device"), nullptr);
    if (fresh) device->second = DeviceOf(device->first);
    KernelRow row{device->second, {}, CellNumber(cell("Latency")), transformer};
    if (row.device == nullptr || row.ms <= 0) return;
    row.work = WorkOfRow(family, cell("OPName"), cell);
    data.kernels.push_back(row);
  });
}

// "key": number of a small flat JSON file.
double JsonNumber(const std::string& text, const std::string& key) {
  const size_t at = text.find("\"" + key + "\":");
  return at == std::string::npos ? 0 : strtod(text.c_str() + at + key.size() + 3, nullptr);
}

void ReadCases(const std::string& folder, ForecastData& data) {
  std::map<std::string, std::map<std::string, double>> published;
  EachRow(folder + "/e2e_errors.csv.zst", [&](const auto& cell) {
    published[cell("device") + "/" + cell("tag")][cell("predictor")] =
        CellNumber(cell("abs_err_pct"));
  });
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/label")) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  for (const std::filesystem::path& path : files) {
    ModelCase one;
    one.folder = path.parent_path().filename().string();
    one.name = path.stem().string();
    one.device = DeviceOf(one.folder);
    const std::string graph = folder + "/opgraph/" + one.name + ".csv.zst";
    if (one.device == nullptr || !std::filesystem::exists(graph)) continue;
    const std::string text = OrEnd(ReadPackedText(path.string()));
    one.ms = JsonNumber(text, "e2e_latency");
    one.forward_ms = JsonNumber(text, "fw_latency");
    one.published = published[one.folder + "/" + one.name];
    if (data.graphs.count(one.name) == 0) {
      data.graphs.emplace(one.name, OrEnd(ParseGraph(OrEnd(ReadPackedText(graph)), graph)));
    }
    const std::string nodes = path.parent_path().string() + "/" + one.name + ".csv.zst";
    if (std::filesystem::exists(nodes)) {
      EachRow(nodes, [&](const auto& cell) {
        const std::array<double, kGraphPasses> passes = {CellNumber(cell("fw_latency")),
                                                         CellNumber(cell("bw_latency")),
                                                         CellNumber(cell("acc_latency"))};
        one.node_ms[cell("Name")] = passes[0] + passes[1] + passes[2];
        one.node_pass_ms[cell("Name")] = passes;
      });
    }
    data.cases.push_back(std::move(one));
  }
}

size_t PlaceOf(const std::vector<double>& axis, double value) {
  return static_cast<size_t>(std::lower_bound(axis.begin(), axis.end(), value) - axis.begin());
}

void ReadGrids(const std::string& folder, ForecastData& data) {
  struct Source {
    const char *file, *device;
  };
  constexpr Source kSources[] = {
      {"a100_sxm", "A100-SXM-80GB"}, {"h100_sxm", "H100-SXM"}, {"l40s", "L40S"}};
  for (const Source& source : kSources) {
    struct Point {
      double at[3], us;
    };
    std::map<NumberType, std::vector<Point>> points;
    EachRow(folder + "/gemm/" + source.file + ".csv.zst", [&](const auto& cell) {
      const std::optional<NumberType> type = ParseNumberType(cell("gemm_dtype"));
      if (!type) return;
      points[*type].push_back(
          {{CellNumber(cell("m")), CellNumber(cell("n")), CellNumber(cell("k"))},
           CellNumber(cell("latency")) * 1e3});
    });
    for (const auto& [type, list] : points) {
      if (data.axes[0].empty()) {
        for (size_t axis = 0; axis < 3; ++axis) {
          std::set<double> sizes;
          for (const Point& point : list) sizes.insert(point.at[axis]);
          data.axes[axis].assign(sizes.begin(), sizes.end());
        }
      }
      const auto& axes = data.axes;
      TensorGrid grid{source.device, type, {}};
      grid.steps.assign(axes[0].size() * axes[1].size() * axes[2].size(), kNoTime);
      for (const Point& point : list) {
        size_t index = 0;
        for (size_t axis = 0; axis < 3; ++axis) {
          index = index * axes[axis].size() + PlaceOf(axes[axis], point.at[axis]);
        }
        const double steps = std::log(point.us / kGridLeastUs) / std::log(kGridStep);
        grid.steps[index] =
            static_cast<uint16_t>(std::clamp(std::round(steps), 0.0, kNoTime - 1.0));
      }
      data.grids.push_back(std::move(grid));
    }
  }
}

void ReadCollectives(const std::string& folder, ForecastData& data) {
  struct Source {
    const char *file, *device;
  };
  constexpr Source kSources[] = {{"a100_sxm__2.27.3", "A100-SXM-80GB"},
                                 {"h100_sxm__2.27.3", "H100-SXM"},
                                 {"h100_sxm__2.29.2", "H100-SXM"}};
  // Times of equal operation, number and bytes: of repetitions, versions and types.
  std::map<std::tuple<std::string, std::string, int>, std::map<int, std::vector<double>>> times;
  for (const Source& source : kSources) {
    EachRow(folder + "/nccl/" + source.file + ".csv.zst", [&](const auto& cell) {
      const std::optional<NumberType> type = ParseNumberType(cell("nccl_dtype"));
      const double bytes =
          CellNumber(cell("message_size")) * BytesOf(type.value_or(NumberType::kFp32));
      const double log2 = std::log2(std::max(bytes, 1.0));
      if (!type || log2 != std::round(log2)) return;
      times[{source.device, cell("op_name"), static_cast<int>(CellNumber(cell("num_gpus")))}]
           [static_cast<int>(log2)]
               .push_back(CellNumber(cell("latency")) * 1e3);
    });
  }
  for (const auto& [key, sizes] : times) {
    CollectiveCurve curve{
        std::get<0>(key), std::get<1>(key), std::get<2>(key), sizes.begin()->first, {}};
    for (const auto& [log2, list] : sizes) {
      if (log2 != curve.first_log2 + static_cast<int>(curve.us.size())) break;
      double log_sum = 0;
      for (const double us : list) log_sum += std::log(us);
      // A longer message never takes less time.
      const double us = std::exp(log_sum / static_cast<double>(list.size()));
      curve.us.push_back(curve.us.empty() ? us : std::max(us, curve.us.back()));
    }
    data.collectives.push_back(std::move(curve));
  }
}

}  // namespace

ForecastData ReadForecastData(const std::string& folder) {
  if (!std::filesystem::is_directory(folder + "/neusight")) {
    fprintf(stderr, "'%s' has no neusight: name the folder of public measurements\n",
            folder.c_str());
    exit(2);
  }
  ForecastData data;
  struct File {
    const char *train, *test;
    WorkFamily family;
  };
  constexpr File kFiles[] = {{"linear", "linear", WorkFamily::kLinear},
                             {"bmm", "bmm", WorkFamily::kBatchedProduct},
                             {"elementwise", "elem", WorkFamily::kElementwise},
                             {"softmax", "softmax", WorkFamily::kSoftmax},
                             {"ln", "ln", WorkFamily::kNorm}};
  const std::string neusight = folder + "/neusight";
  for (const File& file : kFiles) {
    ReadKernels(neusight + "/train/" + file.train + ".csv.zst", file.family, false, data);
    ReadKernels(neusight + "/test/" + file.test + ".csv.zst", file.family, true, data);
  }
  ReadCases(neusight, data);
  ReadGrids(folder + "/aiconfigurator", data);
  ReadCollectives(folder + "/aiconfigurator", data);
  return data;
}

}  // namespace gprofx
