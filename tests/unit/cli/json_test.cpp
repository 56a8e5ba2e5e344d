#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/doctor/doctor.h"
#include "cli/json_text.h"
#include "cli/report/report.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

using nlohmann::json;

json Render(const Profile& profile, std::vector<std::string> args) {
  args.push_back("--json");
  const auto command = ParseReport(args);
  REQUIRE(command);
  const auto text = RenderReport(profile, command->options, {});
  REQUIRE(text);
  return json::parse(*text);  // throws unless it is valid JSON in valid UTF-8
}

const std::vector<std::vector<std::string>>& Views() {
  static const std::vector<std::vector<std::string>> views = {{},
                                                              {"--tree"},
                                                              {"--lines"},
                                                              {"--threads"},
                                                              {"--by", "module"},
                                                              {"--by", "line"},
                                                              {"--by", "process"}};
  return views;
}

}  // namespace

TEST_CASE("json_survives_every_byte_in_names") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = std::string("a") + static_cast<char>(byte) + "z";
    ProfileMaker make;
    const ModuleId module = make.AddModule("/lib/" + name, 0);
    const ThreadId thread = make.AddThread(1, 1, name, name);
    make.Add(thread, {make.Python(name, "/" + name, 1, 1), make.Native("n" + name, module)}, 3);
    make.profile.meta = {{"command", name}, {"problems", name}, {name, name}};
    make.profile.quality = {{name, 1}};
    for (const auto& view : Views()) {
      const json report = Render(make.profile, view);
      CHECK(report["rows"].size() >= 1);
    }
    const json rows = Render(make.profile, {"--view", "mixed"})["rows"];
    const std::string expected = byte < 0x80 ? "n" + name : "na\xEF\xBF\xBDz";
    CHECK(rows[0]["name"] == expected);
    const auto callers = ParseReport({"--callers", "n", "--json"});
    CHECK(RenderReport(make.profile, callers->options, {}));
  }
}

TEST_CASE("hostile names are valid JSON in every view") {
  for (const auto& view : Views()) CHECK(Render(HostileProfile(), view)["base"] == 26'000'000);
}

TEST_CASE("json_matches_schema") {
  const Profile profile = TrainingProfile();
  const std::vector<std::pair<std::vector<std::string>, std::string>> schemas = {
      {{}, "gprof-x.report.top/1"},
      {{"--tree"}, "gprof-x.report.tree/1"},
      {{"--callers", "cblas_sgemm"}, "gprof-x.report.callers/1"},
      {{"--lines"}, "gprof-x.report.lines/1"},
      {{"--threads"}, "gprof-x.report.threads/1"},
      {{"--by", "thread"}, "gprof-x.report.threads/1"}};
  for (const auto& [args, schema] : schemas) {
    const json report = Render(profile, args);
    INFO(schema);
    CHECK(report["schema"] == schema);
    CHECK(report["metric"] == json{{"name", "cpu"}, {"unit", "ns"}, {"kind", "sampled"}});
    CHECK(report["quality"]["verdict"] == "good");
    CHECK(report["quality"]["degraded"] == false);
    REQUIRE(!report["rows"].empty());
    std::set<std::string> wanted = {"kind",  "name",         "self",
                                    "total", "self_samples", "total_samples"};
    if (schema.find("threads") == std::string::npos) wanted.insert({"file", "line", "module"});
    for (const json& row : report["rows"]) {
      for (const std::string& key : wanted) CHECK(row.contains(key));
    }
  }
}

TEST_CASE("rows hold full names, places and the line they are seen as") {
  const json rows = Render(TrainingProfile(), {"--view", "mixed"})["rows"];
  const json* addmm = nullptr;
  for (const json& row : rows) {
    if (row["name"].get<std::string>().find("addmm") != std::string::npos) addmm = &row;
  }
  REQUIRE(addmm != nullptr);
  CHECK((*addmm)["kind"] == "c++");
  CHECK((*addmm)["name"].get<std::string>().find("c10::Scalar const&)") != std::string::npos);
  CHECK((*addmm)["self"] == 210'000'000);
  CHECK((*addmm)["self_samples"] == 210);
  CHECK((*addmm)["seen_as"]["file"] == "/home/ada/project/model.py");
  CHECK((*addmm)["seen_as"]["line"] == 88);
  CHECK((*addmm)["module"].get<std::string>().find("libtorch_cpu.so") != std::string::npos);
}

TEST_CASE("a limit cuts rows of JSON and says how many there are") {
  const json report = Render(TrainingProfile(), {"--top", "2"});
  CHECK(report["rows"].size() == 2);
  CHECK(report["rows_total"] > 10);
}

TEST_CASE("too much accounted is as bad as too little, and the limit is 2 percent") {
  for (const auto& [percent, degraded] : std::vector<std::pair<double, bool>>{
           {100, false}, {98.1, false}, {97.9, true}, {101.9, false}, {102.1, true}, {125, true}}) {
    Profile profile = TrainingProfile();
    profile.quality["cpu_measured_ns"] = 100'000'000;
    profile.quality["lost_ns"] = 0;
    profile.quality["cpu_accounted_ns"] = static_cast<int64_t>(percent * 1e6);
    INFO(percent);
    const json quality = Render(profile, {})["quality"];
    CHECK(quality["degraded"] == degraded);
    CHECK(quality["reasons"].size() == (degraded ? 1 : 0));
  }
}

TEST_CASE("processes that were not sampled degrade a recording") {
  Profile profile = TrainingProfile();
  profile.quality["cpu_not_sampled_ns"] = profile.quality["cpu_measured_ns"] / 10;
  const json quality = Render(profile, {})["quality"];
  CHECK(quality["degraded"] == true);
  CHECK(quality["not_sampled_ns"] == profile.quality["cpu_not_sampled_ns"]);
}

TEST_CASE("programs of one process are one process") {
  Profile profile = TrainingProfile();
  const json before = Render(profile, {"--threads"});
  Process& first = profile.processes.at(0);
  Process next = first;
  first.end = next.start = first.start + 1000;
  profile.processes.push_back(next);
  const json after = Render(profile, {"--threads"});
  CHECK(after["recording"]["processes"] == before["recording"]["processes"]);
  CHECK(after["recording"]["programs"] == profile.processes.size());
  CHECK(after["rows"].size() == before["rows"].size());
}

TEST_CASE("a degraded recording is degraded in JSON") {
  Profile profile = TrainingProfile();
  profile.meta.erase("complete");
  const json quality = Render(profile, {})["quality"];
  CHECK(quality["degraded"] == true);
  CHECK(quality["complete"] == false);
  CHECK(quality["reasons"].size() == 1);
}

TEST_CASE("printed JSON holds nothing that a terminal follows, and the same texts") {
  const std::string name =
      "\x1b[2J\x7f\u009b31m\u202e\u2066\U000E0041 na\u00efve \u6f22 \U0001f600 \xff";
  for (const int indent : {-1, 1}) {
    const std::string text = PrintedJson(Json{{name.substr(0, 5), Utf8(name)}}, indent);
    CHECK(json::parse(text).begin().value() == Utf8(name));
    CHECK(text.ends_with("}\n"));
    for (const char* unsafe : {"\x1b", "\x7f", "\u009b", "\u202e", "\u2066", "\U000E0041"}) {
      CHECK(text.find(unsafe) == std::string::npos);
    }
    CHECK(text.find("na\u00efve \u6f22 \U0001f600") != std::string::npos);
  }
}

TEST_CASE("doctor's JSON is valid whatever a check found") {
  const json doctor = json::parse(
      DoctorJson({{"a", Health::kOk, "bad\xFF", ""}, {"b", Health::kFail, "\x1b", "fix"}}));
  CHECK(doctor["schema"] == "gprof-x.doctor/1");
  CHECK(doctor["works"] == false);
  CHECK(doctor["checks"][1]["state"] == "fail");
}

}  // namespace gprofx::testing
