// annotate: samples at known instructions of a real cubin, its text and JSON, the choice of the
// kernel, nvdisasm's listing. Goldens: tests/data/annotate/NAME.txt; after a wanted change
// GPROFX_UPDATE_GOLDENS=1 ctest -R cli, then read the difference before it is committed.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/annotate/annotate.h"
#include "cli/annotate/sass.h"
#include "cli/annotate/select.h"
#include "cli/command_line.h"
#include "cli/terminal/text.h"

namespace gprofx::testing {
namespace {

constexpr char kKernel[] = "void Shared<float, 3>(float*)";
constexpr char kSource[] = "/opt/example/lines.cu";
// Offsets of the kernel's instructions, as nvdisasm lists them.
constexpr uint64_t kLoadAddress = 0x40, kStoreShared = 0xb0, kBarrier = 0xc0, kAdd = 0xe0,
                   kMultiply = 0xf0;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::byte> ReadCode(const std::string& name) {
  const std::string text = ReadText("tests/data/cubin/" + name);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

uint32_t MarkedLine(const std::string& name) {
  std::istringstream lines(ReadText("tests/data/cubin/lines.cu"));
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.size() >= name.size() + 5 &&
        line.compare(line.size() - name.size() - 5, std::string::npos, "MARK " + name) == 0) {
      return number;
    }
  }
  FAIL("no marker " << name);
  return 0;
}

AnnotateInput SharedKernel() {
  AnnotateInput input;
  input.kernel = kKernel;
  input.modules = {{0xfeed, ReadCode("lines-sm_90.cubin"),
                    ParseSass(ReadText("tests/data/cubin/Shared-float-sm_90.sass"))}};
  input.sources =
      std::make_shared<SourceTexts>(SourceTexts{{kSource, ReadText("tests/data/cubin/lines.cu")}});
  input.samples = {{0, kLoadAddress, "imc_miss", 40, 40},
                   {0, kStoreShared, "long_scoreboard", 5'200, 4'900},
                   {0, kStoreShared, "lg_throttle", 300, 100},
                   {0, kStoreShared, "selected", 12, 0},
                   {0, kBarrier, "barrier", 2'100, 1'500},
                   {0, kAdd, "short_scoreboard", 900, 450},
                   {0, kMultiply, "wait", 150, 10},
                   {0, kMultiply, "selected", 60, 0}};
  return input;
}

const AnnotatedLine& LineWith(const Annotation& annotation, uint32_t line) {
  const auto found = std::find_if(annotation.lines.begin(), annotation.lines.end(),
                                  [&](const AnnotatedLine& l) { return l.line == line; });
  REQUIRE(found != annotation.lines.end());
  return *found;
}

void CheckGolden(const std::string& name, const Annotation& annotation,
                 const AnnotateOptions& options, const std::string& no_sass = "") {
  for (const int columns : {80, 120}) {
    AnnotateSurroundings around;
    around.screen.columns = columns;
    around.no_sass = no_sass;
    const std::string text = RenderAnnotate(annotation, options, around);
    const std::string path = "tests/data/annotate/" + name + "-" + std::to_string(columns) + ".txt";
    INFO(path);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK((options.wide || Columns(line) <= columns));
    }
    if (getenv("GPROFX_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
    CHECK(text == ReadText(path));
  }
}

int64_t SumOfLines(const Annotation& annotation) {
  int64_t sum = 0;
  for (const AnnotatedLine& line : annotation.lines) sum += line.counts.samples;
  return sum;
}

Annotation HostileAnnotation() {
  const std::string bad = "\x1b[31m\n\xff" + std::string(5000, 'x');
  AnnotateInput input = SharedKernel();
  for (AnnotateSample& sample : input.samples) sample.stall += bad;
  for (auto& [offset, text] : input.modules[0].sass) text += bad;
  input.sources = std::make_shared<SourceTexts>(
      SourceTexts{{kSource, bad + "\n" + input.sources->at(kSource)}});
  input.samples.push_back({0, 0x20, bad, 4'000'000'000, 4'000'000'000});
  input.samples.push_back({0, ~uint64_t{0}, "wait", 5, 0});
  Annotation annotation = Annotate(input);
  annotation.kernel += bad;
  for (AnnotatedLine& line : annotation.lines) line.file += bad;
  return annotation;
}

std::string WhyNot(const std::vector<std::string>& args) {
  const auto command = ParseAnnotate(args);
  REQUIRE_FALSE(command);
  const std::string text = command.error().Text();
  CHECK(text.find('\n') == std::string::npos);
  return text;
}

}  // namespace

TEST_CASE("samples of a kernel come to their lines") {
  const Annotation annotation = Annotate(SharedKernel());
  CHECK(annotation.counts.samples == 8'762);
  CHECK(annotation.counts.latency == 7'000);
  CHECK(SumOfLines(annotation) == annotation.counts.samples);
  // The store into shared memory waits for the load: both are the same statement.
  const AnnotatedLine& load = LineWith(annotation, MarkedLine("load"));
  CHECK(load.counts.samples == 5'552);
  CHECK(load.counts.Leading(1).at(0) == std::pair<std::string, int64_t>("long_scoreboard", 5'200));
  CHECK(load.text.find("mine[threadIdx.x] = p[threadIdx.x];") != std::string::npos);
  CHECK(load.inlined.empty());
  CHECK(LineWith(annotation, MarkedLine("barrier")).counts.stalls.at("barrier") == 2'100);
  const AnnotatedLine& poly = LineWith(annotation, MarkedLine("poly"));
  CHECK(poly.counts.samples == 1'110);
  REQUIRE(poly.inlined.size() == 1);
  CHECK(poly.inlined[0].samples == 1'110);
  REQUIRE(poly.inlined[0].places.size() == 1);
  CHECK(poly.inlined[0].places[0].line == MarkedLine("store"));
  CHECK(annotation.lines[0].line == load.line);
}

TEST_CASE("samples of a kernel come to their instructions") {
  const Annotation annotation = Annotate(SharedKernel());
  REQUIRE(annotation.modules.size() == 1);
  const AnnotatedModule& module = annotation.modules[0];
  CHECK(module.architecture == 90);
  CHECK(module.has_sass);
  CHECK(module.instructions.size() == 32);
  const AnnotatedInstruction& barrier = module.instructions.at(kBarrier / 16);
  CHECK(barrier.text == "BAR.SYNC.DEFER_BLOCKING 0x0");
  CHECK(barrier.counts.samples == 2'100);
  CHECK(module.instructions.at(0).counts.samples == 0);
}

TEST_CASE("samples without code, lines or disassembly are still shown") {
  AnnotateInput input = SharedKernel();
  input.modules[0].sass.clear();
  const Annotation no_sass = Annotate(input);
  CHECK(no_sass.modules[0].instructions.size() == 5);
  CHECK_FALSE(no_sass.modules[0].has_sass);
  CheckGolden("offsets", no_sass, {}, "nvdisasm is not installed");

  input.modules[0].code = ReadCode("plain-sm_90.cubin");
  const Annotation no_lines = Annotate(input);
  CHECK(SumOfLines(no_lines) == no_lines.counts.samples);
  REQUIRE(no_lines.lines.size() == 1);
  CHECK(no_lines.lines[0].file.empty());

  input.modules[0].code.clear();
  const Annotation no_code = Annotate(input);
  CHECK(no_code.counts.samples == 8'762);
  CHECK_FALSE(no_code.modules[0].has_code);
  CheckGolden("no-code", no_code, {});
}

TEST_CASE("annotate_stable_at_80_and_120_columns") {
  const Annotation annotation = Annotate(SharedKernel());
  CheckGolden("both", annotation, {});
  AnnotateOptions limited;
  limited.limit = 2;
  CheckGolden("limit", annotation, limited);
  AnnotateOptions wide;
  wide.wide = true;
  CheckGolden("wide", annotation, wide);
  AnnotateOptions lines;
  lines.instructions = false;
  CheckGolden("lines", annotation, lines);
}

TEST_CASE("a kernel of several modules shows the one with most samples") {
  AnnotateInput input = SharedKernel();
  input.modules.push_back({0xbeef, ReadCode("lines-sm_75.cubin"), {}});
  input.samples.push_back({1, 0x10, "wait", 100'000, 0});
  const Annotation annotation = Annotate(input);
  REQUIRE(annotation.modules.size() == 2);
  CHECK(annotation.modules[0].hash == 0xbeef);
  CHECK(annotation.modules[0].architecture == 75);
  CHECK(SumOfLines(annotation) == 108'762);
  const std::string text = RenderAnnotate(annotation, {}, {});
  CHECK(text.find("1 more module holds this kernel, with 8.1%") != std::string::npos);
}

TEST_CASE("an annotation of hostile names is harmless text") {
  const Annotation annotation = HostileAnnotation();
  for (const bool wide : {false, true}) {
    AnnotateOptions options;
    options.wide = wide;
    AnnotateSurroundings around;
    around.screen.columns = 80;
    const std::string text = RenderAnnotate(annotation, options, around);
    for (const char c : text) REQUIRE((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK((wide || Columns(line) <= 80));
    options.json = true;
    CHECK(nlohmann::json::parse(RenderAnnotate(annotation, options, around)).is_object());
  }
}

TEST_CASE("counts of samples saturate") {
  AnnotateInput input = SharedKernel();
  input.samples.push_back({0, kAdd, "wait", INT64_MAX, INT64_MAX});
  input.samples.push_back({0, kAdd, "barrier", -1, 0});
  input.samples.push_back({7, kAdd, "wait", 1, 0});
  const Annotation annotation = Annotate(input);
  CHECK(annotation.counts.samples == INT64_MAX);
  CHECK(annotation.counts.stalls.at("barrier") == 2'100);
  CHECK(RenderAnnotate(annotation, {}, {}).find("9,223,372,036,854,775,807") != std::string::npos);
}

TEST_CASE("annotate writes stable JSON") {
  AnnotateOptions options;
  options.json = true;
  const auto json = nlohmann::json::parse(RenderAnnotate(Annotate(SharedKernel()), options, {}));
  CHECK(json["schema"] == "gprof-x.annotate/1");
  CHECK(json["kernel"] == kKernel);
  CHECK(json["samples"] == 8'762);
  CHECK(json["stalls"]["long_scoreboard"] == 5'200);
  CHECK(json["lines_total"] == json["lines"].size());
  CHECK(json["lines"][0]["line"] == MarkedLine("load"));
  CHECK(json["lines"][0]["file"] == kSource);
  const auto& module = json["modules"][0];
  CHECK(module["hash"] == "000000000000feed");
  CHECK(module["architecture"] == 90);
  CHECK(module["instructions"].size() == 32);
  CHECK(module["instructions"][kBarrier / 16]["stalls"]["barrier"] == 2'100);
  const auto& places = module["instructions"][kAdd / 16]["places"];
  REQUIRE(places.size() == 2);
  CHECK(places[1]["function"] == "_Z4PolyIfLi3EET_S0_");
  options.instructions = false;
  options.limit = 1;
  const auto small = nlohmann::json::parse(RenderAnnotate(Annotate(SharedKernel()), options, {}));
  CHECK(small["lines"].size() == 1);
  CHECK_FALSE(small["modules"][0].contains("instructions"));
}

TEST_CASE("the kernel that a name means") {
  const std::vector<KernelChoice> kernels = {
      {"void a::scale<float>(float*, int)", 10, "scale f32"},
      {"void a::scale<double>(double*, int)", 30, "scale f64"},
      {"void scale_rows(float*)", 20, "scale"},
      {"softmax", 5, "softmax"},
      {"softmax_backward", 5, "softmax bwd"},
      {"void (anonymous namespace)::hidden(int)", 1, "hidden"}};
  CHECK(*SelectKernel(kernels, "softmax") == 3);
  CHECK(*SelectKernel(kernels, "void a::scale<float>(float*, int)") == 0);
  CHECK(*SelectKernel(kernels, "scale<double>") == 1);
  CHECK(*SelectKernel(kernels, "rows") == 2);
  CHECK(*SelectKernel(kernels, "hidden") == 5);
  const std::vector<KernelChoice> products = {
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_"
       "alignc4_execute_kernel__5x_cublas",
       3, "gemm f32 256x128x8 nn"},
      {"softmax", 5, "softmax"}};
  CHECK(*SelectKernel(products, "gemm f32 256x128x8 nn") == 0);  // as a report shows it
  CHECK(SelectKernel(products, "nosuch").error().fix ==
        "the kernels with samples are 'softmax', 'gemm f32 256x128x8 nn'");
  CHECK(*SelectKernel(kernels, "scale") == 2);  // the others are "scale f32" and "scale f64"
  CHECK(*SelectKernel(kernels, "scale f64") == 1);
  const auto several = SelectKernel(kernels, "a::scale");
  REQUIRE_FALSE(several);
  const std::string text = several.error().Text();
  CHECK(text.find("2 kernels") != std::string::npos);
  CHECK(text.find("f64") < text.find("f32"));
  const auto none = SelectKernel(kernels, "gemm\n");
  REQUIRE_FALSE(none);
  CHECK(none.error().Text().find('\n') == std::string::npos);
  CHECK(none.error().Text().find("and 1 more") != std::string::npos);
  CHECK(BareName("void a::b::f<int, g(x)>(float*, h<1>)") == "f");
}

TEST_CASE("listings of nvdisasm") {
  const auto sass = ParseSass(ReadText("tests/data/cubin/Shared-float-sm_90.sass"));
  CHECK(sass.size() == 32);
  CHECK(sass.at(0) == "LDC R1, c[0x0][0x28]");
  CHECK(sass.at(0x130) == "BRA `(.L_x_0)");
  const auto hex = ParseSass(
      "        /*0000*/    @!P1 BRA `(.L_x_1) ;   /* 0x0000 */\n"
      "                                           /* 0x000f */\n");
  REQUIRE(hex.size() == 1);
  CHECK(hex.at(0) == "@!P1 BRA `(.L_x_1)");
  CHECK(ParseSass(
            "\t.section\t.text.a\n/*0000*/ A ;\n\t.section\t.text.b\n/*0000*/ B ;\n/*0010*/ C ;")
            .size() == 1);
  for (const char* text :
       {"", "/*", "/**/ x", "/*00g0*/ x", "/*0000*/", "/*99999999999999999*/ x"}) {
    CHECK(ParseSass(text).empty());
  }
}

TEST_CASE("nvdisasm is found, run and given up") {
  std::string folder = "/tmp/gprofx-annotate-test-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string tool = folder + "/nvdisasm";
  const auto write = [&](const std::string& script) {
    std::ofstream(tool) << "#!/bin/sh\n" << script;
    chmod(tool.c_str(), 0700);
  };
  // It has to get by without a second process.
  write("[ \"$1 $2 $3\" = '-c -fun 7' ] && exec sed 's,.*,/*0010*/ & ;,' \"$4\"\n");
  const auto path_is = [&](const std::string& value) {
    return FindNvdisasm(
        [&](const char* name) { return std::string(name) == "PATH" ? value.c_str() : nullptr; });
  };
  CHECK(path_is("/no/such:" + folder) == tool);
  CHECK(FindNvdisasm([&](const char* name) {
          return std::string(name) == "PATH" ? "relative" : folder.c_str();
        }) != tool);  // CUDA_HOME has a folder bin
  const std::string text = "EXIT";
  const auto sass = Disassemble(tool, std::as_bytes(std::span(text)), 7);
  REQUIRE(sass);
  CHECK(sass->at(0x10) == "EXIT");
  CHECK_FALSE(Disassemble(tool, std::as_bytes(std::span(text)), 8));
  write("exit 1\n");
  CHECK_FALSE(Disassemble(tool, {}, 7));
  CHECK_FALSE(Disassemble(folder + "/absent", {}, 7));
  std::filesystem::remove_all(folder);
}

TEST_CASE("nvdisasm reads its file and prints, and can do nothing else") {
  setenv("GPROFX_TEST_SECRET", "1", 1);
  const std::string text = "code";
  const auto sass = Disassemble(HOSTILE_NVDISASM, std::as_bytes(std::span(text)), 7);
  unsetenv("GPROFX_TEST_SECRET");
  REQUIRE(sass);
  CHECK(*sass == std::map<uint64_t, std::string>{{0, "READ"}});
}

TEST_CASE("options of annotate") {
  const auto both = ParseAnnotate({"scale"});
  REQUIRE(both);
  CHECK(both->kernel == "scale");
  CHECK(both->file == "profile.gprofx");
  CHECK((both->options.lines && both->options.instructions));
  CHECK(ParseAnnotate({"k", "a.gprofx"})->file == "a.gprofx");
  CHECK_FALSE(ParseAnnotate({"--lines", "k"})->options.instructions);
  CHECK_FALSE(ParseAnnotate({"--sass", "k"})->options.lines);
  CHECK(ParseAnnotate({"--sass", "--lines", "k"})->options.lines);
  CHECK(ParseAnnotate({"--limit", "7", "k"})->options.limit == 7u);
  CHECK(ParseAnnotate({"-h"})->help);
  CHECK(WhyNot({}).find("report") != std::string::npos);
  CHECK(WhyNot({""}).find("KERNEL") != std::string::npos);
  CHECK(WhyNot({"a", "b", "c"}).find("one FILE") != std::string::npos);
  CHECK(WhyNot({"k", "--limit", "0"}).find("--limit") != std::string::npos);
  CHECK(WhyNot({"k", "--color", "blue"}).find("auto") != std::string::npos);
  CHECK(WhyNot({"k", "--sas"}).find("--help") != std::string::npos);
  CHECK(RunCommandLine({"annotate"}) == 2);
  CHECK(RunCommandLine({"annotate", "k", "/no/such/file.gprofx"}) == 2);
  CHECK(RunCommandLine({"help", "annotate"}) == 0);
}

}  // namespace gprofx::testing
