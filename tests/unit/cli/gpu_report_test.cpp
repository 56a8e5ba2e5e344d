// Reports of profiles with a GPU: text at 80 and 120 columns against tests/data/report/gpu-*.txt,
// JSON, and sums.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/terminal/text.h"
#include "core/views/gpu/gpu_rows.h"
#include "core/views/wall.h"
#include "golden.h"
#include "gpu_profile.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

using nlohmann::json;

json Json(const Profile& profile, std::vector<std::string> args) {
  args.push_back("--json");
  return json::parse(RenderView(profile, args, 120));
}

std::string At(const Profile& profile, const std::vector<std::string>& args) {
  return RenderView(profile, args, 120);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int TenthsOf(const std::vector<WallShare>& parts) {
  int sum = 0;
  for (const WallShare& part : parts) sum += part.tenths;
  return sum;
}

WallShares Shares(std::vector<WallPart> parts) {
  Profile profile;
  profile.gpu.wall = std::move(parts);
  return ShareWall(profile);
}

}  // namespace

TEST_CASE("shares are those of the time with records") {
  const WallShares shares = Shares(
      {{"gpu.compute", 30}, {"idle.python", 10}, {std::string("idle.sync.") + kNoRecords, 60}});
  CHECK(shares.total_ns == 40);
  CHECK(shares.unseen_ns == 60);
  CHECK(shares.busy.tenths == 750);
  CHECK(shares.idle.tenths == 250);
  Profile profile = GpuProfile();
  profile.gpu.wall = {{"gpu.compute", 3'000'000'000},
                      {std::string("idle.sync.") + kNoRecords, 1'000'000'000}};
  CHECK(Has(At(profile, {}), "shares of 3.00 s with GPU records (of 4.00 s)"));
  const json wall = Json(profile, {})["wall"];
  CHECK(wall["total_ns"] == 4'000'000'000);
  CHECK(wall["unseen_ns"] == 1'000'000'000);
  CHECK(wall["idle_ns"] == 0);
  profile.gpu.wall.erase(profile.gpu.wall.begin());
  CHECK(Has(At(profile, {}), "unknown, because no GPU records were made in 1.00 s"));
}

TEST_CASE("shares of a recording with windows say how well they are known") {
  Profile profile = GpuProfile();
  profile.gpu.wall = {{"gpu.compute", 3'000'000'000, 120'000'000},
                      {"gpu.copy", 0, 0},
                      {"idle.python", 1'000'000'000, 90'000'000},
                      {"idle.sync.a", 0, 60'000'000},
                      {std::string("idle.sync.") + kNoRecords, 1'000'000'000}};
  const std::string text = At(profile, {});
  CHECK(Has(text, "(of 5.00 s), +- at 95 %\n"));
  CHECK(Has(text, "  GPU busy  75.0%  +-2.3%  ##"));
  CHECK(Has(text, "  GPU idle  25.0%  +-2.3%\n"));
  CHECK(Has(text, "     25.0%  +-2.3%  waiting for Python"));
  const json parts = Json(profile, {})["wall"]["parts"];
  CHECK(parts[0]["margin_ns"] == 120'000'000);
  CHECK_FALSE(parts[1].contains("margin_ns"));
}

TEST_CASE("two ranks: report shows which one waits, and where there is one of each it does not") {
  Profile profile = GpuProfile();
  profile.gpu.devices.push_back(profile.gpu.devices[0]);
  profile.gpu.devices[0].pci_bus = profile.Intern("0000:b1:00.0");
  profile.gpu.devices[1].pci_bus = profile.Intern("0000:0f:00.0");
  Process other = profile.processes[0];
  other.pid = 4712;
  profile.processes.push_back(other);
  profile.gpu.lanes = {{ProcessId{1},
                        1,
                        1'000,
                        10'000'001'000,
                        500'000'000,
                        {{"gpu.compute", 2'000'000'000},
                         {"gpu.communication", 7'000'000'000},
                         {"idle.python", 1'000'000'000}}}};
  CHECK_FALSE(Has(At(profile, {}), "by GPU and process"));
  profile.gpu.lanes.push_back({ProcessId{2},
                               2,
                               0,
                               9'000'000'000,
                               0,
                               {{"gpu.compute", 8'100'000'000},
                                {"gpu.communication", 90'000'000},
                                {"idle.unexplained", 810'000'000}}});
  for (const int columns : {80, 120}) {
    const std::string text = RenderView(profile, {}, columns);
    const size_t at = text.find("by GPU and process");
    REQUIRE(at != std::string::npos);
    const std::string lanes = text.substr(at, text.find("\n\n", at) - at);
    INFO(lanes);
    // By PCI bus: the second device is GPU 0.
    CHECK(lanes.find("4712") < lanes.find("70.0%"));
    for (const char* part : {"90.0%", "1.0%", "9.0%", "unexplained", "20.0%", "70.0%", "5.0%",
                             "10.0%", "    7  train.py  ", "Python"}) {
      INFO(part);
      CHECK(Has(lanes, part));
    }
    for (size_t begin = 0; begin < lanes.size();) {
      const size_t end = std::min(lanes.find('\n', begin), lanes.size());
      CHECK(Columns(std::string_view(lanes).substr(begin, end - begin)) <= columns);
      begin = end + 1;
    }
  }
  const json wall = Json(profile, {})["wall"];
  REQUIRE(wall["lanes"].size() == 2);
  CHECK(wall["lanes"][0]["gpu"] == 1);
  CHECK(wall["lanes"][0]["exposed_communication_ns"] == 7'000'000'000);
  CHECK(wall["lanes"][0]["hidden_communication_ns"] == 500'000'000);
  CHECK(wall["lanes"][1]["pid"] == 4712);
  CHECK(wall["lanes"][1]["parts"][0]["name"] == "gpu.compute");
  CHECK(Json(GpuProfile(), {})["wall"]["lanes"].empty());
}

TEST_CASE("the ranks of a run fit the screen, and the slowest is named") {
  Profile profile = GpuProfile();
  // A second process with as much GPU time, most of it in a collective.
  profile.processes.push_back({.pid = 4712, .name = profile.Intern("a_long_name_of_a_script.py")});
  const ProcessId process{static_cast<uint32_t>(profile.processes.size())};
  profile.threads.push_back({.process = process, .tid = 4712});
  const ThreadId thread{static_cast<uint32_t>(profile.threads.size())};
  const FunctionId reduce =
      profile.Intern(Function{.name = profile.Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL")});
  const NodeId node = profile.Child(
      profile.root(), profile.Intern(Frame{.kind = FrameKind::kGpuKernel, .function = reduce}));
  profile.AddSelf(node, thread, profile.FindMetric("gpu"), 20'000'000'000);
  for (const int columns : {80, 120}) {
    const std::string text = RenderView(profile, {}, columns);
    CHECK(Has(text, "ranks: the slowest is"));
    CHECK(Has(text, "in communication;"));
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      INFO(line);
      CHECK((Columns(line) <= columns || line.find("gprof-x ") != std::string_view::npos));
      begin = end + 1;
    }
  }
}

TEST_CASE("a report of a GPU is stable at 80 and 120 columns") {
  const Profile profile = GpuProfile();
  CheckGolden(profile, "gpu-top", {});
  CheckGolden(profile, "gpu-top-2", {"--top", "2"});
  CheckGolden(profile, "gpu-kernels", {"--by", "kernel"});
  CheckGolden(profile, "gpu-by-layer", {"--by", "layer"});
  CheckGolden(profile, "gpu-by-operator", {"--by", "operator"});
  CheckGolden(profile, "gpu-by-library", {"--by", "library"});
  CheckGolden(profile, "gpu-lines", {"--lines"});
  CheckGolden(profile, "gpu-tree", {"--tree", "--metric", "gpu"});
  CheckGolden(profile, "gpu-tree-samples", {"--tree", "--metric", "gpu_samples"});
  CheckGolden(profile, "gpu-callers", {"--callers", "flash_fwd_kernel", "--metric", "gpu"});
  CheckGolden(profile, "gpu-metric", {"--metric", "gpu"});
  CheckGolden(profile, "gpu-wait", {"--tree", "--metric", "gpu_wait"});
  CheckGolden(profile, "gpu-focus", {"--focus", "Mlp"});
  CheckGolden(GpuTraceProfile(), "gpu-trace", {});
}

TEST_CASE("a GPU's data that was lost is degraded") {
  Profile profile = GpuProfile();
  CHECK(Has(At(profile, {}), "[good]"));
  profile.quality["gpu_pc_dropped"] = 10'000;  // 0.99 %
  CHECK(Has(At(profile, {}), "[good]"));
  profile.quality["gpu_pc_dropped"] = 11'000;
  profile.quality["gpu_pc_buffer_full"] = 3;
  profile.quality["gpu_pc_gap_ns"] = 120'000'000;
  profile.quality["gpu_launches_lost"] = 4'100;  // 1.02 %
  profile.quality["gpu_records_dropped"] = 5'000;
  profile.quality["gpu_stream_full"] = 6'000;
  profile.quality["gpu_records_no_time"] = 7;
  CheckGolden(profile, "gpu-degraded", {"--by", "kernel", "--limit", "1"});
  CHECK(Json(profile, {})["quality"]["reasons"].size() == 5);
  CHECK(Json(profile, {})["gpu"]["quality"]["pc_gap_ns"] == 120'000'000);
}

TEST_CASE("a few lost launches and records are told, and degrade nothing") {
  for (const auto& [counter, told] : {std::pair{"gpu_launches_lost", "4,000 lost"},
                                      {"gpu_records_dropped", "4,000 records dropped by CUPTI;"},
                                      {"gpu_stream_full", "4,000 records lost on the way;"}}) {
    Profile profile = GpuProfile();
    profile.quality[counter] = 4'000;
    const std::string text = At(profile, {});
    CHECK(Has(text, "[good]"));
    CHECK(Has(text, told));
    for (const int64_t hostile : {INT64_MIN, int64_t{-1}, INT64_MAX}) {
      profile.quality["gpu_launches"] = profile.quality["gpu_records"] = hostile;
      profile.quality[counter] = hostile;
      CHECK_FALSE(At(profile, {}).empty());
    }
  }
}

TEST_CASE("a process that CUPTI leaves may lose one record of CUPTI's own") {
  Profile profile = GpuProfile();
  profile.quality["gpu_records"] = 10;
  profile.quality["gpu_records_dropped"] = 1;
  CHECK(Has(At(profile, {}), "[degraded: GPU records dropped 1]"));
  profile.quality["gpu_processes"] = 1;
  CHECK(Has(At(profile, {}), "[degraded: GPU records dropped 1]"));
  profile.quality["gpu_cupti_fetch_ns"] = 27'000'000;
  CHECK(Has(At(profile, {}), "[good]"));
  CHECK(Json(profile, {})["gpu"]["quality"]["records_dropped"] == 1);
  CHECK(Json(profile, {})["gpu"]["quality"]["work_records_dropped"] == 0);
  profile.quality["gpu_records_dropped"] = 2;
  CHECK(Has(At(profile, {}), "[degraded: GPU records dropped 1]"));
}

TEST_CASE("hostile names and numbers of a GPU are harmless text and valid JSON") {
  const Profile profile = HostileGpuProfile();
  const std::vector<std::vector<std::string>> views = {{},
                                                       {"--by", "kernel"},
                                                       {"--lines"},
                                                       {"--tree"},
                                                       {"--tree", "--metric", "gpu"},
                                                       {"--metric", "gpu_wait"},
                                                       {"--wide"},
                                                       {"--lines", "--wide"},
                                                       {"--metric", "stall_memory"},
                                                       {"--threads"},
                                                       {"--callers", "red", "--metric", "gpu"}};
  for (const auto& view : views) {
    for (const int columns : {40, 80, 120}) {
      for (const char c : RenderView(profile, view, columns)) {
        REQUIRE((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
      }
    }
    CHECK(Json(profile, view)["rows"].size() >= 1);
  }
  CheckGolden(profile, "gpu-hostile", {});
}

TEST_CASE("a profile without a GPU says nothing about one") {
  const Profile profile = TrainingProfile();
  for (const auto& view : std::vector<std::vector<std::string>>{{}, {"--lines"}, {"--tree"}}) {
    CHECK_FALSE(Has(At(profile, view), "GPU"));
    CHECK_FALSE(Json(profile, view).contains("gpu"));
    CHECK_FALSE(Json(profile, view).contains("wall"));
  }
  CHECK(Has(At(profile, {"--by", "kernel"}), "no GPU data"));
}

TEST_CASE("the printed parts of the wall time add up to 100.0") {
  const WallShares thirds = Shares({{"gpu.compute", 1}, {"idle.python", 1}, {"idle.native", 1}});
  CHECK(thirds.busy.tenths + thirds.idle.tenths == 1000);
  CHECK(thirds.total_ns == 3);
  for (unsigned seed = 1; seed < 400; ++seed) {
    uint64_t state = seed;
    const auto next = [&] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<int64_t>(state >> (1 + state % 60));
    };
    const WallShares shares = Shares({{"gpu.compute", next()},
                                      {"gpu.communication", next()},
                                      {"gpu.copy", next()},
                                      {"idle.sync.cuCtxSynchronize", next()},
                                      {"idle.queue_full", next()},
                                      {"idle.python", next()},
                                      {"idle.cuda_call", next()},
                                      {"idle.unexplained", next()}});
    REQUIRE(shares.total_ns > 0);
    CHECK(TenthsOf(shares.busy_parts) == shares.busy.tenths);
    CHECK(TenthsOf(shares.idle_parts) == shares.idle.tenths);
    CHECK(shares.busy.tenths + shares.idle.tenths == 1000);
    CHECK(shares.idle_parts.back().what == "unexplained");
  }
  CHECK(Shares({}).total_ns == 0);
  CHECK(Shares({{"gpu.compute", 0}}).total_ns == 0);
  CHECK(Shares({{"gpu.compute", -5}}).total_ns == 0);
}

TEST_CASE("causes of idle time are ordered and named") {
  const WallShares shares = Shares({{"gpu.copy", 500},
                                    {"idle.unexplained", 400},
                                    {"idle.sync.cuEventSynchronize", 30},
                                    {"idle.queue_full", 70}});
  REQUIRE(shares.idle_parts.size() == 3);
  CHECK(shares.idle_parts[0].what == "launch queue full");
  CHECK(shares.idle_parts[1].what == "in cuEventSynchronize");
  CHECK(shares.idle_parts[2].what == "unexplained");
  CHECK(shares.idle_parts[2].tenths == 400);
}

TEST_CASE("rows of kernels and lines hold all of the metric") {
  for (const Profile& profile : {GpuProfile(), GpuTraceProfile()}) {
    for (const GpuBy by : {GpuBy::kKernel, GpuBy::kLine}) {
      const GpuTable table = GpuRows(profile, KeptStacks(profile, {}), by);
      int64_t samples = 0, ns = 0, calls = 0;
      for (const GpuRow& row : table.rows) {
        samples += row.samples;
        ns += row.self_ns;
        calls += row.calls;
      }
      CHECK(samples == table.whole.samples);
      CHECK(samples == MetricSum(profile, profile.FindMetric(kMetricPcSamples)));
      if (by == GpuBy::kLine) continue;
      CHECK(ns == MetricSum(profile, profile.FindMetric(kMetricGpu)));
      CHECK(calls == MetricSum(profile, profile.FindMetric(kMetricGpuOps)));
    }
  }
}

TEST_CASE("kernels carry the line with most of their time, those of graphs the capture's") {
  const json rows = Json(GpuProfile(), {})["rows"];
  std::map<std::string, json> by_name;
  for (const json& row : rows) {
    if (row["metric"] == "gpu") by_name[row["name"].get<std::string>().substr(0, 10)] = row;
  }
  CHECK(by_name.size() == 6);
  CHECK(by_name["nvjet_hsh_"]["self"] == 11'744'000'000);
  CHECK(by_name["nvjet_hsh_"]["calls"] == 115'200);
  CHECK(by_name["nvjet_hsh_"]["seen_as"]["line"] == 61);
  CHECK(by_name["triton_poi"]["seen_as"]["file"] == "/home/ada/project/model.py");
  CHECK(by_name["void flash"]["stalls"]["memory"] == 172'000);
  CHECK(by_name["void flash"]["stalls"].size() == kStallClasses);
  CHECK(by_name["void flash"]["kind"] == "gpu");
  CHECK(by_name["void flash"]["line"] == 88);
}

TEST_CASE("JSON of a GPU's profile names the metric of each row") {
  const json report = Json(GpuProfile(), {});
  CHECK(report["schema"] == "gprof-x.report.top/1");
  std::set<std::string> metrics;
  for (const json& row : report["rows"]) {
    metrics.insert(row["metric"]);
    for (const char* key : {"kind", "name", "file", "line", "module", "self", "total",
                            "self_samples", "total_samples", "seen_as"}) {
      CHECK(row.contains(key));
    }
  }
  CHECK(metrics == std::set<std::string>{"cpu", "gpu", "gpu_wait"});
  CHECK(report["rows"].size() == report["rows_total"]);
  CHECK(report["wall"]["total_ns"] == 41'200'000'000);
  CHECK(report["wall"]["busy_ns"].get<int64_t>() + report["wall"]["idle_ns"].get<int64_t>() ==
        41'200'000'000);
  CHECK(report["wall"]["parts"].size() == 9);
  CHECK(report["gpu"]["devices"][0]["name"] == "NVIDIA H200");
  CHECK(report["gpu"]["operations"] == 303'611);
  CHECK(Json(GpuProfile(), {"--by", "kernel"})["rows"].size() == 6);
  CHECK(Json(GpuProfile(), {"--top", "2"})["rows"].size() == 6);  // of each of three tables
  bool gpu_line = false;
  const json lines = Json(GpuProfile(), {"--lines"});
  for (const json& row : lines["rows"]) {
    gpu_line = gpu_line ||
               (row["metric"] == "gpu_samples" && row["line"] == 331 && row["self"] == 251'000);
  }
  CHECK(gpu_line);
}

TEST_CASE("views of GPU metrics agree with the table of kernels") {
  const Profile profile = GpuProfile();
  const json tree = Json(profile, {"--tree", "--metric", "gpu"});
  CHECK(tree["rows"][0]["total"] == Json(profile, {})["gpu"]["time_ns"]);
  CHECK(Has(At(profile, {"--callers", "flash_fwd_kernel"}), "--metric gpu"));
  CHECK(Has(At(profile, {"--callers", "cuCtxSynchronize"}), "--metric gpu_wait"));
  const json modules = Json(profile, {"--metric", "gpu", "--by", "module"});
  CHECK(modules["rows"][0]["name"] == "[kernels]");
  CHECK(modules["rows"][1]["name"] == "[copies and memsets]");
  int64_t self = 0;
  for (const json& row : modules["rows"]) self += row["self"].get<int64_t>();
  CHECK(self == modules["base"]);
  CHECK(modules["rows"][0]["self_samples"] == 0);  // of the CPU
  // Another kernel of that name: it is called by all of its name.
  CHECK(Has(At(profile, {}), "annotate flash_fwd_kernel\n"));
  Profile two = GpuProfile();
  const FunctionId function = two.Intern(Function{two.Intern("void flash_fwd_kernel<2>(int)")});
  const NodeId node =
      two.Child(two.root(), two.Intern(Frame{FrameKind::kGpuKernel, function, {}, 0, {}, 0}));
  two.AddSelf(node, {1}, two.FindMetric(kMetricPcSamples), 1);
  CHECK(Has(At(two, {}), "annotate '#g1'\n"));
  // Threads and programs start outside of a captured stack as everywhere.
  CHECK_FALSE(Has(At(profile, {"--tree", "--metric", "gpu"}), "_start"));
}

TEST_CASE("kernels and rows say in JSON what they are and how they are found") {
  const Profile profile = GpuProfile();
  const json rows = Json(profile, {})["rows"];
  CHECK(rows[0]["short_name"] == "flash attention bf16");
  CHECK(rows[0]["family"] == "attention");
  CHECK(rows[0]["row"] == "#g1");
  CHECK(rows.back()["metric"] == "cpu");
  CHECK(rows.back().contains("row"));
  CHECK_FALSE(Json(profile, {"--focus", "model"})["rows"][0].contains("row"));
  const std::string callers = At(profile, {"--callers", "#g1", "--metric", "gpu"});
  CHECK(Has(callers, "flash attention bf16 > Attention.forward (model.py:88)"));
}

TEST_CASE("causes of idle time are rows, those that round to nothing are counted") {
  Profile profile = GpuProfile();
  profile.gpu.wall = {{"gpu.compute", 500'000},
                      {"idle.python", 300'000},
                      {"idle.native", 199'900},
                      {"idle.cuda_call", 60},
                      {"idle.queue_full", 40}};
  const std::string text = At(profile, {});
  CHECK(Has(text,
            "  GPU idle  50.0%\n     30.0%  waiting for Python       ============\n"
            "     20.0%  waiting for native code  ========\n"));
  CHECK(Has(text, "2 more causes, each below 0.05%\n"));
  CHECK(Has(text, "0.0%  unexplained\n"));
}

TEST_CASE("a symbol of ten thousand characters stays within the screen in every view") {
  Profile profile = GpuProfile();
  for (const FrameKind kind : {FrameKind::kNative, FrameKind::kGpuKernel}) {
    const std::string name =
        "void a::b<" + std::string(5'000, 'x') + ">::" + std::string(5'000, 'y');
    const FunctionId function = profile.Intern(Function{profile.Intern(name)});
    const NodeId node =
        profile.Child(profile.root(), profile.Intern(Frame{kind, function, {}, 0, {}, 0}));
    const bool native = kind == FrameKind::kNative;
    profile.AddSelf(node, {1}, profile.FindMetric(native ? "cpu" : kMetricGpu), 60'000'000'000);
  }
  for (const std::vector<std::string>& args : {std::vector<std::string>{},
                                               {"--tree"},
                                               {"--tree", "--metric", "gpu"},
                                               {"--by", "kernel"},
                                               {"--callers", "#1"},
                                               {"--lines"},
                                               {"--metric", "gpu"}}) {
    for (const int columns : {80, 120}) {
      std::istringstream lines(RenderView(profile, args, columns));
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(Columns(line) <= columns);
      }
    }
  }
  CHECK(Has(At(profile, {"--wide"}), std::string(5'000, 'y')));
}

TEST_CASE("short names are cut in the middle, places before their line") {
  CHECK(FitMiddle("triton poi add+native_layer_norm_backward", 30) ==
        "triton poi add+nativ..backward");
  CHECK(FitMiddle("mul f32", 30) == "mul f32");
  CHECK(FitPlace("a_long_folder_name/model.py:1234 forward", 40) ==
        "a_long_folder_name/model.py:1234 forward");
  CHECK(FitPlace("a_long_folder_name/model.py:1234 forward", 38) ==
        "a_long_folder_name/model.py:1234 for..");
  CHECK(FitPlace("a_long_folder_name/model.py:1234 forward", 33) ==
        "a_long_folder_name/model.py:1234");
  CHECK(FitPlace("a_long_folder_name/model.py:1234 forward", 16) == "../model.py:1234");
  CHECK(FitPlace("a_long_folder_name/model.py:1234", 12) == "..el.py:1234");
  CHECK(FitPlace("std::vector<int>::push_back", 12) == "std::vecto..");
  for (const char* odd : {":", ":1", "a:1 ", "::", "a:12b", " ", "\xE6\xBC\xA2:3"}) {
    const std::string text = std::string(odd) + odd + odd + odd;
    for (int columns = 0; columns < 24; ++columns) {
      CHECK(Columns(FitPlace(text, columns)) <= columns);
      CHECK(Columns(FitMiddle(text, columns)) <= columns);
    }
  }
}

}  // namespace gprofx::testing
