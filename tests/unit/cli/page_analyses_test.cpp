// The analyses in the data of a page.
#include "cli/report/html/analyses.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/analyses/model_profile.h"

namespace gprofx::testing {
namespace {

// One kernel in each of `count` layers.
ModelMaker Layers(int count, const std::string& type) {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  for (int i = 0; i < count; ++i) {
    const FrameId caller =
        make.Python("Net.forward", "/home/ada/model.py", static_cast<uint32_t>(100 + i));
    const auto layer = make.Module(caller, type + std::to_string(i), 30);
    make.Run(make.Node({{main}, layer, make.Op("addmm", "ampere_sgemm_128x64_tn")}), 1000 + i);
  }
  return make;
}

Json PageOf(const ModelMaker& make) {
  const analyses::AnalysisContext context(make.profile, make.work, "run");
  return PageAnalysesJson(MakePageAnalyses(context), {{"ampere_sgemm_128x64_tn", "gemm f32"}});
}

const Json& Table(const Json& page, const std::string& name) {
  for (const Json& table : page["tables"]) {
    if (table["name"] == name) return table;
  }
  throw std::runtime_error("no " + name);
}

size_t ColumnOf(const Json& table, const std::string& id) {
  for (size_t i = 0; i < table["columns"].size(); ++i) {
    if (table["columns"][i]["id"] == id) return i;
  }
  throw std::runtime_error("no column " + id);
}

}  // namespace

TEST_CASE("a page has the analyses' cells in words and as numbers") {
  const Json page = PageOf(Layers(3, "Linear"));
  const Json& latency = Table(page, "A3");
  REQUIRE(latency["rows"].size() == 3);
  const size_t gpu = ColumnOf(latency, "gpu_ns");
  CHECK(latency["rows"][1]["numbers"][gpu] == 1001);
  CHECK(latency["rows"][1]["texts"][gpu] == "1.00 us");
  const Json& kernels = Table(page, "A10");
  CHECK(kernels["rows"][0]["texts"][0] == "gemm f32");
  CHECK(kernels["rows"][0]["name"] == "ampere_sgemm_128x64_tn");
  // No shapes: nothing is known of FLOP, so there is no column of them, and no roofline.
  CHECK_THROWS(ColumnOf(Table(page, "A11"), "flop"));
  CHECK(Table(page, "A9")["rows"].empty());
  CHECK(Table(page, "A9")["reason"].get<std::string>().find("shapes") != std::string::npos);
}

TEST_CASE("a page has 200 rows of a table and tells how many there are") {
  const Json page = PageOf(Layers(250, "Linear"));
  CHECK(Table(page, "A3")["rows"].size() == 200);
  CHECK(Table(page, "A3")["rows_total"] == 250);
}

TEST_CASE("names in a page are cut and harmless") {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  const std::string kernel = "<b>\x1b[31m" + std::string(5000, 'x');
  make.Run(make.Node({make.Module(main, "Linear", 30), make.Op("addmm", kernel)}), 10);
  const Json page = PageOf(make);
  REQUIRE(Table(page, "A10")["rows"].size() == 1);
  const Json& row = Table(page, "A10")["rows"][0];
  for (const std::string& name :
       {row["name"].get<std::string>(), row["texts"][0].get<std::string>()}) {
    CHECK(name.size() < 700);
    CHECK(name.starts_with("<b>\\x1b[31m"));
  }
}

TEST_CASE("a model is GPU work in layers or operators") {
  CHECK(HasModel(FindLevels(Layers(1, "Linear").profile)));
  ModelMaker plain;
  plain.Run(plain.Node({{plain.Native("main", "/bin/app"), plain.Kernel("k")}}), 10);
  CHECK_FALSE(HasModel(FindLevels(plain.profile)));
  ModelMaker op;
  op.Run(op.Node({op.Op("addmm", "k")}), 10);
  CHECK(HasModel(FindLevels(op.profile)));
  CHECK_FALSE(HasModel(FindLevels(Profile())));
}

}  // namespace gprofx::testing
