#include "gpu_profile.h"

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "sample_profile.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
constexpr int64_t kLow = std::numeric_limits<int64_t>::min();

constexpr char kTrain[] = "/home/ada/project/train.py";
constexpr char kModel[] = "/home/ada/project/model.py";
constexpr char kFunctional[] = "/usr/lib/python3.12/site-packages/torch/nn/functional.py";
constexpr char kFlash[] =
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
    "cutlass::bfloat16_t>, false, true, false>(Flash_fwd_params)";
constexpr char kGemm[] =
    "nvjet_hsh_192x152_64x5_1x2_h_bz_coopA_NTN_with_a_long_tail_of_options_and_so_on";
constexpr char kAdd[] =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
constexpr char kTriton[] = "triton_poi_fused_add_native_layer_norm_3";
constexpr char kReduce[] =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

using Stalls = std::array<int64_t, kStallClasses>;

struct GpuMaker {
  ProfileMaker make;
  ThreadId thread;

  GpuMaker() : thread(make.AddThread(7, 7, "train.py", "python3")) {
    Profile& profile = make.profile;
    profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
    profile.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
    profile.AddMetric(kMetricGpuWait, "ns", MetricKind::kExact);
    profile.AddMetric(kMetricPcSamples, "count", MetricKind::kSampled);
    profile.AddMetric(kMetricPcLatency, "count", MetricKind::kSampled);
    for (const char* name : kStallClassNames) {
      profile.AddMetric(std::string(kMetricStallPrefix) + name, "count", MetricKind::kSampled);
    }
    profile.AddMetric(kMetricGpuBytes, "bytes", MetricKind::kExact);
    profile.AddMetric(kMetricGpuOverlapped, "ns", MetricKind::kExact);
  }

  FrameId Gpu(FrameKind kind, std::string_view name, std::string_view file = "",
              uint32_t line = 0) {
    Profile& profile = make.profile;
    const StringId path = profile.Intern(file);
    const FunctionId function =
        name.empty() ? FunctionId{} : profile.Intern(Function{profile.Intern(name), {}, 0, {}});
    return profile.Intern(Frame{kind, function, path, line, {}, 0});
  }

  NodeId Node(const std::vector<FrameId>& stack) {
    NodeId node = make.profile.root();
    for (const FrameId frame : stack) node = make.profile.Child(node, frame);
    return node;
  }

  void Metric(NodeId node, const std::string& name, int64_t amount) {
    make.profile.AddSelf(node, thread, make.profile.FindMetric(name), amount);
  }

  NodeId Run(const std::vector<FrameId>& stack, int64_t ns, int64_t calls) {
    const NodeId node = Node(stack);
    Metric(node, kMetricGpu, ns);
    Metric(node, kMetricGpuOps, calls);
    return node;
  }

  void Sample(NodeId node, const Stalls& stalls) {
    for (size_t i = 0; i < kStallClasses; ++i) {
      Metric(node, std::string(kMetricStallPrefix) + kStallClassNames[i], stalls[i]);
      Metric(node, kMetricPcSamples, stalls[i]);
      Metric(node, kMetricPcLatency, stalls[i] * 3 / 4);
    }
  }
};

void AddFacts(Profile& profile) {
  profile.meta = {{"command", "python train.py"},
                  {"duration_ns", "41200000000"},
                  {"clock", "cpu"},
                  {"rate_asked_hz", "1000"},
                  {"rate_reached_hz", "997"},
                  {"gpu_pc_period", "16"},
                  {"complete", "yes"}};
  profile.quality = {{"samples", 9'420},
                     {"handler_total_ns", 80 * kMillisecond},
                     {"gpu_launches", 402'000},
                     {"gpu_launch_median_ns", 1'210},
                     {"gpu_records", 408'011},
                     {"gpu_pc_received", 1'000'000},
                     {"gpu_pc_exact", 801'000},
                     {"gpu_pc_proportional", 150'000},
                     {"gpu_pc_function_only", 40'000},
                     {"gpu_pc_unattributed", 9'000}};
  GpuDevice device;
  device.name = profile.Intern("NVIDIA H200");
  device.driver = profile.Intern("580.159");
  device.compute_major = 9;
  device.multiprocessors = 132;
  profile.gpu.devices = {device};
  profile.gpu.wall = {{"gpu.compute", 28'922'400'000},
                      {"gpu.communication", 2'018'800'000},
                      {"gpu.copy", 1'236'000'000},
                      {"idle.sync.cuStreamSynchronize", 906'400'000},
                      {"idle.queue_full", 41'200'000},
                      {"idle.python", 5'191'200'000},
                      {"idle.data_loading", 2'513'200'000},
                      {"idle.native", 370'800'000},
                      {"idle.unexplained", 0}};
}

}  // namespace

Profile GpuProfile() {
  GpuMaker gpu;
  ProfileMaker& make = gpu.make;
  const ModuleId libc = make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0);
  const ModuleId torch =
      make.AddModule("/usr/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so", 0);
  const FrameId start = make.Native("_start", libc);
  const FrameId main_line = make.Python("<module>", kTrain, 120, 1);
  const FrameId step = make.Python("train_step", kTrain, 61, 55);
  const FrameId replay = make.Python("train_step", kTrain, 66, 55);
  const FrameId attention = make.Python("Attention.forward", kModel, 88, 70);
  const FrameId mlp = make.Python("Mlp.forward", kModel, 61, 55);
  const FrameId linear = make.Python("linear", kFunctional, 114, 110);
  const FrameId launch = make.Native("at::cuda::blas::gemm", torch);
  const FrameId captured = gpu.Gpu(FrameKind::kMarker, "[CUDA graph, captured at]");

  const FrameId flash = gpu.Gpu(FrameKind::kGpuKernel, kFlash);
  const FrameId gemm = gpu.Gpu(FrameKind::kGpuKernel, kGemm);
  const FrameId add = gpu.Gpu(FrameKind::kGpuKernel, kAdd);
  const FrameId triton = gpu.Gpu(FrameKind::kGpuKernel, kTriton);
  const FrameId reduce = gpu.Gpu(FrameKind::kGpuKernel, kReduce);
  const FrameId copy = gpu.Gpu(FrameKind::kGpuCopy, "copy host to device, pageable");

  const NodeId flash_node =
      gpu.Run({start, main_line, step, attention, flash}, 13'104 * kMillisecond, 38'400);
  gpu.Sample(flash_node, {52'000, 2'000, 8'000, 31'000, 4'000, 3'000, 500});
  gpu.Sample(
      make.profile.Child(flash_node, gpu.Gpu(FrameKind::kGpuInstruction, "compute_attn_1rowblock",
                                             "/src/flash_attn/flash_fwd_kernel.h", 331)),
      {120'000, 9'000, 21'000, 83'000, 9'000, 8'000, 1'000});
  gpu.Sample(
      gpu.Run({start, main_line, step, mlp, linear, launch, gemm}, 9'534 * kMillisecond, 76'800),
      {61'000, 40'000, 30'000, 150'000, 2'000, 20'000, 0});
  gpu.Sample(gpu.Run({start, main_line, step, attention, linear, launch, gemm},
                     2'210 * kMillisecond, 38'400),
             {20'000, 10'000, 9'000, 40'000, 1'000, 4'000, 0});
  gpu.Sample(gpu.Run({start, main_line, step, mlp, add}, 1'302 * kMillisecond, 115'200),
             {99'700, 0, 0, 200, 100, 0, 0});
  const NodeId triton_node =
      gpu.Run({start, main_line, replay, captured, start, main_line, mlp, triton},
              906 * kMillisecond, 6'011);
  gpu.Sample(make.profile.Child(triton_node, gpu.Gpu(FrameKind::kGpuInstruction, "",
                                                     "/tmp/torchinductor_ada/3x/c3xk.py", 27)),
             {19'000, 100, 200, 1'000, 300, 400, 0});
  const NodeId reduced = gpu.Run({start, main_line, step, reduce}, 2'018'800'000, 9'600);
  gpu.Metric(reduced, kMetricGpuOverlapped, 1'500 * kMillisecond);
  gpu.Metric(flash_node, kMetricGpuOverlapped, 1'500 * kMillisecond);
  const NodeId copied = gpu.Run({start, main_line, step, copy}, 1'236 * kMillisecond, 19'200);
  gpu.Metric(copied, kMetricGpuBytes, 15'450'000'000);

  const FrameId item = make.Python("log_loss", kTrain, 77, 74);
  gpu.Metric(
      gpu.Node({start, main_line, item, gpu.Gpu(FrameKind::kCudaApi, "cuStreamSynchronize")}),
      kMetricGpuWait, 4'210 * kMillisecond);
  gpu.Metric(gpu.Node({start, main_line, gpu.Gpu(FrameKind::kCudaApi, "cuCtxSynchronize")}),
             kMetricGpuWait, 12 * kMillisecond);

  make.Add(gpu.thread, {start, main_line, step, attention, linear}, 4'100);
  make.Add(gpu.thread, {start, main_line, step, mlp, linear, launch}, 3'020, false);
  make.Add(gpu.thread, {start, main_line, step}, 2'300);
  AddFacts(make.profile);
  GpuKernelConfig config;
  config.function = make.profile.frame(flash).function;
  config.grid[0] = 64, config.grid[1] = 16, config.grid[2] = 1;
  config.block[0] = 128, config.block[1] = config.block[2] = 1;
  config.registers = 254;
  config.dynamic_shared = 65'536;
  make.profile.gpu.configs.push_back(config);
  config.grid[0] = 32;
  make.profile.gpu.configs.push_back(config);
  return std::move(make.profile);
}

Profile GpuTraceProfile() {
  Profile profile = GpuProfile();
  std::vector<Value> values;
  for (const Value& value : profile.values) {
    const std::string& name = profile.metrics[value.metric.index()].name;
    const bool sampled = name == kMetricPcSamples || name == kMetricPcLatency ||
                         name.rfind(kMetricStallPrefix, 0) == 0;
    if (!sampled) values.push_back(value);
  }
  profile.values = values;
  for (const char* name : {"received", "exact", "proportional", "function_only", "unattributed"}) {
    profile.quality.erase(std::string("gpu_pc_") + name);
  }
  profile.meta.erase("gpu_pc_period");
  return profile;
}

Profile HostileGpuProfile() {
  GpuMaker gpu;
  const std::string escape = "\x1b[31mred\x1b[0m\nsecond line\r\ttab";
  const std::string broken = "bad\xFF\xFE\xC3(\xE2\x80\xAE \x7F <<<((( >>)";
  const FrameId line = gpu.make.Python(escape, "/x/" + broken + ".py", 3, 1);
  const NodeId first = gpu.Run({line, gpu.Gpu(FrameKind::kGpuKernel, escape)}, kHuge, kLow);
  gpu.Sample(first, {kHuge / 4, kLow / 4, -1, 0, 0, 5, 1});
  const NodeId second =
      gpu.Run({gpu.Gpu(FrameKind::kGpuKernel, std::string(5'000, '<') + broken)}, kHuge, 1);
  gpu.Sample(gpu.make.profile.Child(
                 second, gpu.Gpu(FrameKind::kGpuInstruction, broken, escape, 4'000'000'000u)),
             {7, 7, 7, 7, 7, 7, 7});
  gpu.Metric(gpu.Run({gpu.Gpu(FrameKind::kGpuCopy, "")}, kLow, kHuge), kMetricGpuBytes, kHuge);
  gpu.Metric(first, kMetricGpuBytes, kHuge);
  gpu.Metric(first, kMetricGpuOverlapped, kHuge);
  gpu.Run({line}, 5, 5);  // not below any kernel
  gpu.Metric(gpu.Node({gpu.Gpu(FrameKind::kCudaApi, escape)}), kMetricGpuWait, kHuge);
  gpu.Metric(gpu.Node({line, gpu.Gpu(FrameKind::kCudaApi, broken)}), kMetricGpuWait, kHuge);
  gpu.make.Add(gpu.thread, {line}, 5);
  Profile& profile = gpu.make.profile;
  AddFacts(profile);
  profile.meta["gpu_pc_period"] = "-7\x1b";
  for (auto& [name, value] : profile.quality) {
    if (name.rfind("gpu_", 0) == 0) value = kHuge;
  }
  profile.quality["gpu_pc_dropped"] = kLow;
  profile.gpu.devices[0].name = profile.Intern(escape);
  profile.gpu.wall = {{"gpu.compute", kHuge},         {"gpu.compute", kHuge}, {"gpu.copy", kLow},
                      {"idle.sync." + escape, kHuge}, {broken, kHuge - 1},    {"idle.", 3},
                      {"idle.python", kHuge / 7}};
  for (int i = 0; i < 40; ++i) {
    profile.gpu.wall.push_back({"idle.sync.call" + std::to_string(i), 1'000'000'000'000'000});
  }
  return std::move(gpu.make.profile);
}

}  // namespace gprofx::testing
