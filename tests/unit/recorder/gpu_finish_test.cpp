// PC samples at kernels -> PC samples at source lines, with a cubin that nvcc made.
#include "samplers/recorder/gpu/gpu_finish.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>

#include "core/model/totals.h"
#include "samplers/recorder/gpu/gpu_recording.h"
#include "samplers/recorder/gpu/gpu_sources.h"
#include "symbolize/cubin/cubin.h"

namespace gprofx {
using namespace recorder;
namespace {

std::vector<std::byte> FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE_FALSE(text.empty());
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

struct Bench {
  Bench() {
    profile.threads.resize(2);
    samples = profile.AddMetric(kMetricPcSamples, "count", MetricKind::kSampled);
    latency = profile.AddMetric(kMetricPcLatency, "count", MetricKind::kSampled);
    memory = profile.AddMetric("stall_memory", "count", MetricKind::kSampled);
    Function name;
    name.name = profile.Intern("Chain(float*, int)");
    function = profile.Intern(name);
    Frame frame;
    frame.kind = FrameKind::kGpuKernel;
    frame.function = function;
    kernel = profile.Child(profile.root(), profile.Intern(frame));
    profile.gpu.cubins.push_back({0x1234, {}});
    pc.AddName(CubinId{1}, function, "_Z5ChainPfi");
  }
  void Add(uint64_t offset, uint32_t thread, int64_t count, int64_t late) {
    PcRowKey key;
    key.cubin = CubinId{1};
    key.function = function;
    key.offset = offset;
    key.stall = profile.Intern("long_scoreboard");
    key.node = kernel;
    key.thread = ThreadId{thread};
    key.confidence = PcConfidence::kExact;
    pc.Add(key, static_cast<uint64_t>(count), static_cast<uint64_t>(late));
    profile.AddSelf(kernel, key.thread, samples, count);
    profile.AddSelf(kernel, key.thread, latency, late);
    profile.AddSelf(kernel, key.thread, memory, count);
  }
  int64_t Total(MetricId metric, ThreadId thread = {}) const {
    return InclusiveByNode(profile, SelfByNode(profile, metric, thread)).at(0);
  }

  Profile profile;
  MetricId samples, latency, memory;
  FunctionId function;
  NodeId kernel;
  PcTable pc;
};

TEST_CASE("Samples move to lines below the kernel, and no sum changes") {
  Bench bench;
  const auto bytes = FileBytes("tests/data/cubin/lines-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  const uint64_t size = cubin->FindFunction("_Z5ChainPfi")->size;
  int64_t all = 0;
  for (uint64_t offset = 0; offset < size; offset += 16) {
    for (uint32_t thread : {1u, 2u}) bench.Add(offset, thread, 3, 1);
    all += 6;
  }
  uint64_t asked = 0;
  const EventTable rows = FinishPcSamples(
      bench.pc,
      [&](uint64_t hash) -> Result<std::vector<std::byte>> {
        asked = hash;
        return bytes;
      },
      {}, bench.profile);
  CHECK(asked == 0x1234);
  CHECK(bench.Total(bench.samples) == all);
  CHECK(bench.Total(bench.latency) == all / 3);
  CHECK(bench.Total(bench.memory) == all);
  CHECK(bench.Total(bench.samples, ThreadId{2}) == all / 2);
  CHECK(SelfByNode(bench.profile, bench.samples)[bench.kernel.index()] == 0);

  // One row for an instruction, both threads in it.
  CHECK(rows.rows() == size / 16);
  std::set<std::string> functions;
  int64_t in_rows = 0;
  for (size_t i = 0; i < rows.rows(); ++i) {
    in_rows += rows.column(column::kPcSamples)[i];
    CHECK(rows.column(column::kPcLatency)[i] == 2);
    NodeId at{static_cast<uint32_t>(rows.column(column::kPcNode)[i])};
    const Frame& leaf = bench.profile.frame(bench.profile.node(at).frame);
    CHECK(leaf.kind == FrameKind::kGpuInstruction);
    CHECK(leaf.line > 0);
    CHECK(bench.profile.Text(leaf.file) == "/opt/example/lines.cu");
    functions.emplace(bench.profile.Text(bench.profile.function(leaf.function).name));
    for (; at != bench.kernel; at = bench.profile.node(at).parent) REQUIRE(at.value > 1);
  }
  CHECK(in_rows == all);
  CHECK(functions.count("Chain(float*, int)") == 1);
  CHECK(functions.count("Deep(float, float)") == 1);
  // What annotate needs is in the profile.
  const auto kept = Cubin::Open(bench.profile.gpu.cubins[0].data);
  REQUIRE(kept);
  CHECK(kept->FindFunction("_Z5ChainPfi") != nullptr);
  CHECK(kept->FindFunction("_Z6CallerPfi") == nullptr);
  CHECK(bench.profile.quality["gpu_cubins_missing"] == 0);
}

TEST_CASE("Without code, and with code that is none, samples stay at the kernel") {
  for (const bool broken : {false, true}) {
    Bench bench;
    bench.Add(0x40, 1, 5, 2);
    const EventTable rows = FinishPcSamples(
        bench.pc,
        [&](uint64_t) -> Result<std::vector<std::byte>> {
          if (broken) return std::vector<std::byte>(100, std::byte{7});
          return Error{ErrorId::kCannotRead, "missing"};
        },
        {}, bench.profile);
    REQUIRE(rows.rows() == 1);
    CHECK(rows.column(column::kPcNode)[0] == bench.kernel.value);
    CHECK(bench.Total(bench.samples) == 5);
    CHECK(bench.profile.gpu.cubins[0].data.empty());
    CHECK(bench.profile.quality["gpu_cubins_missing"] == 1);
  }
}

TEST_CASE("Samples of nobody stay with nobody, others go where the kernel went") {
  Bench bench;
  bench.Add(0x40, 1, 5, 2);
  PcRowKey nobody;
  nobody.cubin = {};
  nobody.stall = bench.profile.Intern("wait");
  bench.pc.Add(nobody, 3, 0);
  const auto none = [](uint64_t) -> Result<std::vector<std::byte>> {
    return Error{ErrorId::kCannotRead, "none"};
  };
  // The resolved profile has the kernel's node elsewhere.
  const std::vector<NodeId> node_of{bench.profile.root(), bench.profile.root()};
  const EventTable rows = FinishPcSamples(bench.pc, none, node_of, bench.profile);
  REQUIRE(rows.rows() == 2);
  CHECK(rows.column(column::kPcNode) == std::vector<int64_t>{0, bench.profile.root().value});
}

TEST_CASE("Sources are kept if they are files of a sensible size") {
  char folder[] = "/tmp/gprofx-sources-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string base = folder;
  std::ofstream(base + "/a.py") << "print(1)\n";
  std::ofstream(base + "/big.py") << std::string(kMaxSourceFile + 1, 'x');
  std::ofstream(base + "/full.py") << std::string(kMaxSourceFile, 'x');
  REQUIRE(mkfifo((base + "/pipe.py").c_str(), 0600) == 0);
  Profile profile;
  KeepSources({base + "/a.py", base + "/big.py", base + "/full.py", base + "/pipe.py", base, "a.py",
               base + "/none", "/dev/zero", base + "/a.py"},
              {}, profile);
  REQUIRE(profile.gpu.sources.size() == 2);
  CHECK(profile.Text(profile.gpu.sources[0].path) == base + "/a.py");
  CHECK(profile.gpu.sources[0].text == "print(1)\n");
  for (const char* name : {"/a.py", "/big.py", "/full.py", "/pipe.py"}) {
    unlink((base + name).c_str());
  }
  rmdir(folder);
}

TEST_CASE("A line table brings no other files than sources into a profile") {
  char folder[] = "/tmp/gprofx-sources-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string base = folder;
  const std::set<std::string> names = {"id_rsa",  ".py",       "key.pem",  "kernel.cu", "shadow",
                                       "data.py", "latin1.cu", "makefile", "x.py.bak"};
  for (const std::string& name : names) std::ofstream(base + "/" + name) << "secret\n";
  std::ofstream(base + "/data.py") << std::string("text\0text", 9);
  std::ofstream(base + "/latin1.cu") << "// \xe9t\xe9\r\n\tx\n";
  REQUIRE(symlink("id_rsa", (base + "/link.py").c_str()) == 0);
  REQUIRE(symlink("kernel.cu", (base + "/link.cuh").c_str()) == 0);
  std::set<std::string> paths = {base + "/link.py", base + "/link.cuh", "/etc/passwd"};
  for (const std::string& name : names) paths.insert(base + "/" + name);
  Profile profile;
  KeepSources({paths.begin(), paths.end()}, {}, profile);
  std::vector<std::string> kept;
  for (const auto& source : profile.gpu.sources) {
    kept.emplace_back(profile.Text(source.path).substr(base.size() + 1));
  }
  CHECK(kept == std::vector<std::string>{"kernel.cu", "latin1.cu", "link.cuh"});
  for (const std::string& path : paths) {
    if (path.starts_with(base)) unlink(path.c_str());
  }
  rmdir(folder);
}

TEST_CASE("Without the library beside the agent the GPU is left alone") {
  CHECK(LibraryBeside("/nonexistent/lib/libgprofx-agent.so", "libgprofx-cuda.so").empty());
}

}  // namespace
}  // namespace gprofx

TEST_CASE("torch.profiler is known by the functions that start it") {
  using namespace gprofx;
  const auto add = [](Profile& profile, const char* name, const char* file) {
    Function function;
    function.name = profile.Intern(name);
    function.file = profile.Intern(file);
    profile.Intern(function);
  };
  Profile profile;
  add(profile, "profile.__enter__", "/home/me/profiler.py");
  add(profile, "start_trace", "/home/me/profiler.py");
  // Every optimizer's step is within one of these.
  add(profile, "record_function.__init__", "/site-packages/torch/autograd/profiler.py");
  add(profile, "record_function.__enter__", "/site-packages/torch/autograd/profiler.py");
  add(profile, "__enter__", "/site-packages/torch/autograd/profiler.py");
  // A schedule that only waits never starts a session.
  add(profile, "profile.__enter__", "/site-packages/torch/profiler/profiler.py");
  CHECK_FALSE(SawTorchProfiler(profile));
  for (const char* name : {"_KinetoProfile.start_trace", "prepare_trace"}) {
    Profile session;
    add(session, name, "/site-packages/torch/profiler/profiler.py");
    CHECK(SawTorchProfiler(session));
  }
  for (const char* name :
       {"profile._prepare_trace", "_start_trace", "profile._parse_kineto_results"}) {
    Profile session;
    add(session, name, "/site-packages/torch/autograd/profiler.py");
    CHECK(SawTorchProfiler(session));
  }
}
