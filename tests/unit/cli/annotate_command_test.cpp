// The annotate command on a file: from the streams and tables of a recording to text.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "formats/profile/profile_db.h"

namespace gprofx::testing {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Folder {
 public:
  Folder() { REQUIRE(mkdtemp(name_.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(name_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* file) const { return name_ + "/" + file; }

 private:
  std::string name_ = "/tmp/gprofx-annotate-test-XXXXXX";
};

// What `gprof-x ARGS` prints, and its exit status.
std::pair<int, std::string> Run(const Folder& folder, const std::vector<std::string>& args) {
  const std::string path = folder / "out";
  fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  REQUIRE(freopen(path.c_str(), "w", stdout) != nullptr);
  const int status = RunCommandLine(args);
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  return {status, ReadText(path)};
}

// Two kernels, in a module with their code and in one without.
void WriteRecording(const std::string& path) {
  Profile profile;
  const auto function = [&](const char* name) {
    Function row;
    row.name = profile.Intern(name);
    return profile.Intern(row);
  };
  const auto stall = [&](const char* name) { return profile.Intern(name); };
  const FunctionId shared = function("void Shared<float, 3>(float*)"),
                   chain = function("Chain(float*, int)");
  const std::string code = ReadText("tests/data/cubin/lines-sm_90.cubin");
  const auto bytes = std::as_bytes(std::span(code));
  profile.gpu.cubins = {{0xabc, {bytes.begin(), bytes.end()}}, {0xdef, {}}};
  profile.gpu.sources = {
      {profile.Intern("/opt/example/lines.cu"), ReadText("tests/data/cubin/lines.cu")}};
  EventTable rows(Stream::kPcSamples);
  const StringId barrier = stall("barrier"), wait = stall("wait");
  const NodeId root = profile.root();
  const CubinId first{1}, second{2};
  constexpr auto exact = PcConfidence::kExact;
  rows.Append(PcEvent{first, shared, 0xc0, barrier, 70, 50, root, exact});
  rows.Append(PcEvent{first, shared, 0xc0, barrier, 5, 0});  // another call path
  rows.Append(PcEvent{first, shared, 0xe0, wait, 25, 5, root, exact});
  rows.Append(PcEvent{second, shared, 0x10, wait, 10, 0, root, exact});
  rows.Append(PcEvent{first, chain, 0x40, wait, 40, 0, root, exact});
  auto writer = ProfileWriter::Create(path);
  REQUIRE(writer);
  writer->AppendEvents(rows);
  REQUIRE(writer->Commit(profile));
  REQUIRE(writer->Finish(profile, {}));
}

}  // namespace

TEST_CASE("annotate reads a recording") {
  const Folder folder;
  const std::string file = folder / "p.gprofx";
  WriteRecording(file);

  const auto [status, text] = Run(folder, {"annotate", "--json", "Shared", file});
  REQUIRE(status == 0);
  const auto json = nlohmann::json::parse(text);
  CHECK(json["kernel"] == "void Shared<float, 3>(float*)");
  CHECK(json["samples"] == 110);
  CHECK(json["latency"] == 55);
  CHECK(json["stalls"]["barrier"] == 75);
  CHECK(json["lines"][0]["samples"] == 75);
  CHECK(json["lines"][0]["text"].get<std::string>().find("__syncthreads();") != std::string::npos);
  REQUIRE(json["modules"].size() == 2);
  CHECK(json["modules"][0]["hash"] == "0000000000000abc");
  CHECK(json["modules"][0]["has_lines"] == true);
  CHECK(json["modules"][1]["has_code"] == false);

  const auto [lines_status, lines] = Run(folder, {"annotate", "--lines", "Chain", file});
  CHECK(lines_status == 0);
  CHECK(lines.find("40 PC samples") != std::string::npos);
  CHECK(lines.find("lines.cu:") != std::string::npos);

  CHECK(Run(folder, {"annotate", "a", file}).first == 2);  // both
  CHECK(Run(folder, {"annotate", "gemm", file}).first == 2);
}

TEST_CASE("annotate of a recording without PC samples says so") {
  const Folder folder;
  const std::string file = folder / "p.gprofx";
  {
    auto writer = ProfileWriter::Create(file);
    REQUIRE(writer);
    REQUIRE(writer->Finish(Profile(), {}));
  }
  CHECK(Run(folder, {"annotate", "k", file}) == std::pair<int, std::string>(2, ""));
}

}  // namespace gprofx::testing
