// The analyses of a model made by hand as text, against tests/data/report/analyze-COLUMNS.txt, and
// as JSON and CSV. After a wanted change: GPROFX_UPDATE_GOLDENS=1.
#include "cli/analyze/analyze.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/terminal/text.h"
#include "core/analyses/analyses.h"
#include "core/analyses/runs.h"
#include "tests/unit/analyses/model_profile.h"

namespace gprofx::testing {
using namespace gprofx::analyses;
namespace {

// Three steps of two layers in a network, an optimizer, and one kernel from before.
ModelMaker Model() {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  const auto net = make.Module(main, "Net", 20);
  const FrameId calls[] = {make.Python("Net.forward", "/home/ada/model.py", 21),
                           make.Python("Net.forward", "/home/ada/model.py", 22)};
  const NodeId linear = make.Node(
      {net, make.Module(calls[0], "Linear", 30), make.Op("addmm", "ampere_sgemm_128x64_tn")});
  const NodeId norm = make.Node(
      {net, make.Module(calls[1], "LayerNorm", 40),
       make.Op("native_layer_norm", "void vectorized_layer_norm_kernel<float, float>(int)")});
  const std::vector<FrameId> engine = {main,
                                       make.Native("torch::autograd::Engine::thread_main(x)")};
  const auto backward = [&](const std::string& name, const char* op, const char* kernel) {
    return make.Node({engine,
                      {make.Native("torch::autograd::generated::" + name + "Backward0::apply(x)")},
                      make.Op(op, kernel)});
  };
  const NodeId norm_back = backward("NativeLayerNorm", "native_layer_norm_backward",
                                    "void layer_norm_grad_input_kernel<float>(int)");
  const NodeId linear_back = backward("Addmm", "mm", "ampere_sgemm_128x64_nn");
  const NodeId adam =
      make.Node({{main, make.Python("Adam.step", "/x/site-packages/torch/optim/adam.py", 3)},
                 make.Op("_fused_adam_", "void multi_tensor_apply_kernel<Adam>(int)")});
  StepTrain train;
  train.process = ProcessId{1};
  for (int64_t step = 0; step < 3; ++step) {
    const HostNs begin = make.work.operations.empty() ? 1000 : make.work.operations.back().end;
    make.Run(linear, 40'000 + step);
    make.Run(norm, 8'000);
    make.Run(norm_back, 15'000);
    make.Run(linear_back, 80'000);
    make.Run(adam, 12'000);
    train.steps.push_back({begin, make.work.operations.back().end});
  }
  make.profile.phases.trains.push_back(train);
  const MetricId cpu = make.profile.FindMetric("cpu");
  make.profile.AddSelf(make.profile.node(linear).parent, make.thread, cpu, 90'000);
  return make;
}

AnalysisReport ReportOf(const ModelMaker& make) {
  const AnalysisContext context(make.profile, make.work, "model.gprofx");
  AnalysisReport report;
  report.files = {"model.gprofx"};
  for (const AnalysisKind& kind : AnalysisKinds()) {
    report.analyses.push_back(MakeAnalysis(kind, context));
  }
  return report;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("analyses as text") {
  const ModelMaker make = Model();
  const AnalysisReport report = ReportOf(make);
  for (const int columns : {80, 120}) {
    Screen screen;
    screen.columns = columns;
    const std::string text = AnalysesText(report, screen, {});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(Columns(line) <= columns);
    }
    const std::string path = "tests/data/report/analyze-" + std::to_string(columns) + ".txt";
    if (getenv("GPROFX_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
    CHECK(text == ReadFile(path));
  }
  CHECK(AnalysesText(report, {}, {.most_rows = 1}).find("more; --limit N") != std::string::npos);
}

TEST_CASE("analyses as JSON: columns, rows, reasons") {
  const auto json = nlohmann::json::parse(AnalysesJson(ReportOf(Model())));
  CHECK(json["schema"] == "gprof-x.analyze/1");
  CHECK(json["part"].is_null());
  REQUIRE(json["analyses"].size() == 15);
  for (const auto& analysis : json["analyses"]) {
    CHECK(analysis["rows"].empty() == analysis["reason"].is_string());
    for (const auto& row : analysis["rows"]) CHECK(row.size() == analysis["columns"].size());
  }
  const auto& latency = json["analyses"][2];
  CHECK(latency["id"] == "layer_latency");
  int64_t gpu = 0;
  for (const auto& row : latency["rows"]) gpu += row["gpu_ns"].get<int64_t>();
  CHECK(gpu == 40'001 + 8'000 + 15'000 + 80'000 + 12'000);
}

TEST_CASE("CSV: texts that are formulas or hold commas are harmless") {
  Analysis analysis;
  analysis.name = "A10";
  analysis.columns = {{"kernel", "kernel", CellUnit::kKernel}, {"gpu_ns", "GPU", CellUnit::kNs}};
  analysis.rows = {{std::string("f<a, \"b\">"), int64_t{7}}, {std::string("=1+1"), AnalysisCell()}};
  const AnalysisReport report{{"x"}, "", {analysis}};
  CHECK(AnalysesCsv(report) ==
        "analysis,row,kernel,gpu_ns\nA10,1,\"f<a, \"\"b\"\">\",7\nA10,2,\" =1+1\",\n");
}

TEST_CASE("several runs: a row of A1 and A15 for each, the rest says so") {
  const ModelMaker make = Model();
  const auto joined = JoinRuns({ReportOf(make).analyses, ReportOf(make).analyses});
  REQUIRE(joined.size() == 15);
  CHECK(joined[0].rows.size() == 2);
  CHECK(joined[14].rows.size() == 2);
  CHECK(joined[9].rows.empty());
  CHECK_FALSE(joined[9].reason.empty());
}

}  // namespace gprofx::testing
