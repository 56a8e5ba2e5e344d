#include "sample_profile.h"

#include <string>

namespace gprofx::testing {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

constexpr char kTrain[] = "/home/ada/project/train.py";
constexpr char kModel[] = "/home/ada/project/model.py";
constexpr char kTorchModule[] = "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py";
constexpr char kFunctional[] = "/usr/lib/python3.11/site-packages/torch/nn/functional.py";
constexpr char kAddmm[] =
    "at::native::addmm_impl_cpu_(at::Tensor&, at::Tensor const&, at::Tensor, at::Tensor, "
    "c10::Scalar const&, c10::Scalar const&)";
constexpr char kUnbox[] =
    "c10::impl::wrap_kernel_functor_unboxed_<c10::impl::detail::WrapFunctionIntoFunctor_<"
    "c10::CompileTimeFunctionPointer<at::Tensor (at::Tensor const&)>>, at::Tensor "
    "(at::Tensor const&)>::call(c10::OperatorKernel*, c10::DispatchKeySet, at::Tensor const&)";

}  // namespace

ProfileMaker::ProfileMaker() {
  profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  profile.AddMetric("samples", "count", MetricKind::kSampled);
  profile.AddMetric("cpu_gil", "ns", MetricKind::kSampled);
  profile.AddMetric("cpu_nogil", "ns", MetricKind::kSampled);
}

ModuleId ProfileMaker::AddModule(std::string_view path, uint32_t flags) {
  profile.modules.push_back({profile.Intern(path), {}, flags});
  return {static_cast<uint32_t>(profile.modules.size())};
}

ThreadId ProfileMaker::AddThread(int64_t pid, int64_t tid, std::string_view process,
                                 std::string_view thread) {
  uint32_t id = 0;
  for (uint32_t i = 0; i < profile.processes.size(); ++i) {
    if (profile.processes[i].pid == pid) id = i + 1;
  }
  if (id == 0) {
    Process row;
    row.pid = pid;
    row.name = profile.Intern(process);
    profile.processes.push_back(row);
    id = static_cast<uint32_t>(profile.processes.size());
  }
  Thread row;
  row.process = {id};
  row.tid = tid;
  row.name = profile.Intern(thread);
  profile.threads.push_back(row);
  return {static_cast<uint32_t>(profile.threads.size())};
}

FrameId ProfileMaker::Python(std::string_view name, std::string_view file, uint32_t line,
                             uint32_t first_line) {
  const StringId path = profile.Intern(file);
  const FunctionId function = profile.Intern(Function{profile.Intern(name), path, first_line, {}});
  return profile.Intern(Frame{FrameKind::kPython, function, path, line, {}, 0});
}

FrameId ProfileMaker::Native(std::string_view name, ModuleId module, std::string_view file,
                             uint32_t line) {
  const StringId path = profile.Intern(file);
  const FunctionId function = profile.Intern(Function{profile.Intern(name), path, 0, module});
  return profile.Intern(Frame{FrameKind::kNative, function, path, line, module, 0});
}

FrameId ProfileMaker::Inlined(std::string_view name, ModuleId module, std::string_view file,
                              uint32_t line) {
  const StringId path = profile.Intern(file);
  const FunctionId function = profile.Intern(Function{profile.Intern(name), path, 0, module});
  return profile.Intern(Frame{FrameKind::kInlined, function, path, line, module, 0});
}

FrameId ProfileMaker::Nameless(ModuleId module, uint64_t address) {
  return profile.Intern(Frame{FrameKind::kNative, {}, {}, 0, module, address});
}

FrameId ProfileMaker::Special(FrameKind kind) { return profile.Intern(Frame{kind}); }

void ProfileMaker::Add(ThreadId thread, std::initializer_list<FrameId> stack, int64_t samples,
                       bool holds_gil) {
  NodeId node = profile.root();
  for (const FrameId frame : stack) node = profile.Child(node, frame);
  const int64_t ns = samples * kMillisecond;
  profile.AddSelf(node, thread, profile.FindMetric("cpu"), ns);
  profile.AddSelf(node, thread, profile.FindMetric("samples"), samples);
  profile.AddSelf(node, thread, profile.FindMetric(holds_gil ? "cpu_gil" : "cpu_nogil"), ns);
  profile.threads[thread.index()].cpu_ns += ns;
}

Profile TrainingProfile() {
  ProfileMaker make;
  const ModuleId python = make.AddModule("/usr/bin/python3.11", kModuleIsPython);
  const ModuleId libc = make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0);
  const ModuleId torch =
      make.AddModule("/usr/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so", 0);
  const ModuleId bindings =
      make.AddModule("/usr/lib/python3.11/site-packages/torch/lib/libtorch_python.so", 0);
  const ModuleId blas = make.AddModule("/usr/lib/libmkl_avx512.so.2", 0);
  const ModuleId agent = make.AddModule("/usr/lib/gprof-x/libgprofx-agent.so", kModuleIsProfiler);
  const ThreadId main_thread = make.AddThread(4100, 4100, "train.py", "python3");
  const ThreadId loader = make.AddThread(4100, 4107, "train.py", "pt_data_pin");
  const ThreadId worker = make.AddThread(4212, 4212, "train.py (worker 0)", "pt_data_worker");

  const FrameId start = make.Native("_start", python);
  const FrameId libc_start = make.Native("__libc_start_main@@GLIBC_2.34", libc);
  const FrameId py_main = make.Native("Py_BytesMain", python);
  const FrameId eval = make.Native("_PyEval_EvalFrameDefault", python);
  const FrameId vectorcall = make.Native("_PyObject_Vectorcall", python);
  const FrameId method = make.Native("cfunction_call.lto_priv.0", python);
  const FrameId module = make.Python("<module>", kTrain, 120, 1);
  const FrameId main_fn = make.Python("main", kTrain, 98, 90);
  const FrameId step_forward = make.Python("train_step", kTrain, 61, 55);
  const FrameId step_backward = make.Python("train_step", kTrain, 63, 55);
  const FrameId call = make.Python("Module._call_impl", kTorchModule, 1538, 1500);
  const FrameId attention = make.Python("Attention.forward", kModel, 88, 70);
  const FrameId mlp = make.Python("Mlp.forward", kModel, 61, 55);
  const FrameId linear = make.Python("linear", kFunctional, 114, 110);
  const FrameId binding =
      make.Native("torch::autograd::THPVariable_linear(_object*, _object*, _object*)", bindings);
  const FrameId backward = make.Native(
      "torch::autograd::Engine::execute(std::vector<torch::autograd::Edge, "
      "std::allocator<torch::autograd::Edge>> const&)",
      torch);
  const FrameId addmm =
      make.Native(kAddmm, torch, "/pytorch/aten/src/ATen/native/LinearAlgebra.cpp", 1438);
  const FrameId unboxed = make.Native(kUnbox, torch);
  const FrameId gemm = make.Native("cblas_sgemm", blas);
  const FrameId kernel = make.Nameless(blas, 0x41f00);
  const FrameId kernel2 = make.Nameless(blas, 0x42010);
  const FrameId softmax = make.Inlined("vec_log_softmax_lastdim_kernel<float>", torch,
                                       "/pytorch/aten/src/ATen/native/cpu/SoftMaxKernel.cpp", 77);
  const FrameId sort = make.Native("list_sort_impl", python, "/build/Objects/listobject.c", 2501);
  const FrameId signal = make.Native("gprofx_handler", agent);

  const auto head = [&](std::initializer_list<FrameId> tail, int64_t samples, bool gil) {
    std::vector<FrameId> stack = {start, libc_start, py_main, eval, module, main_fn};
    stack.insert(stack.end(), tail);
    NodeId node = make.profile.root();
    for (const FrameId frame : stack) node = make.profile.Child(node, frame);
    make.profile.AddSelf(node, main_thread, make.profile.FindMetric("cpu"), samples * kMillisecond);
    make.profile.AddSelf(node, main_thread, make.profile.FindMetric("samples"), samples);
    make.profile.AddSelf(node, main_thread, make.profile.FindMetric(gil ? "cpu_gil" : "cpu_nogil"),
                         samples * kMillisecond);
    make.profile.threads[main_thread.index()].cpu_ns += samples * kMillisecond;
  };
  head({}, 40, true);
  head({step_forward, vectorcall}, 60, true);
  head({step_forward, vectorcall, method, eval, call, attention, eval, linear, binding, unboxed,
        addmm, gemm, kernel},
       9'400, false);
  head({step_forward, vectorcall, method, eval, call, attention, eval, linear, binding, unboxed,
        addmm, gemm, kernel2},
       600, false);
  head({step_forward, call, attention, linear, binding, unboxed, addmm}, 210, false);
  head({step_forward, call, attention, unboxed, softmax}, 2'100, false);
  head({step_forward, call, mlp, linear, binding, unboxed, addmm, gemm, kernel}, 7'300, false);
  head({step_forward, call, mlp}, 320, true);
  head({step_backward, backward, unboxed, addmm, gemm, kernel}, 14'000, false);
  head({step_backward, backward, unboxed}, 900, false);
  head({step_backward, signal}, 35, true);
  head({make.Python("log_metrics", kTrain, 77, 74),
        make.Python("JSONEncoder.encode", "/usr/lib/python3.11/json/encoder.py", 200, 183)},
       150, true);

  const FrameId clone = make.Native("clone3", libc);
  const FrameId start_thread = make.Native("start_thread", libc);
  const FrameId bootstrap =
      make.Python("Thread._bootstrap", "/usr/lib/python3.11/threading.py", 995, 990);
  make.Add(loader,
           {clone, start_thread, make.Native("thread_run", python), eval, bootstrap,
            make.Python("pin_memory_loop", "/home/ada/project/data.py", 30, 20)},
           420);
  make.Add(worker,
           {start, libc_start, py_main, eval,
            make.Python("worker_loop", "/home/ada/project/data.py", 58, 50),
            make.Python("collate", "/home/ada/project/data.py", 41, 38), vectorcall, sort},
           3'300);
  make.Add(worker,
           {start, libc_start, py_main, eval,
            make.Python("worker_loop", "/home/ada/project/data.py", 58, 50),
            make.Python("collate", "/home/ada/project/data.py", 42, 38)},
           800);
  make.Add(worker, {make.Special(FrameKind::kTruncated), gemm}, 12);
  make.Add(worker, {make.Special(FrameKind::kUnknown)}, 6);

  Profile& profile = make.profile;
  profile.threads[worker.index()].lost_ns = 90 * kMillisecond;
  profile.threads[worker.index()].cpu_ns += 90 * kMillisecond;
  profile.meta = {{"tool_version", "0.1.0"},
                  {"command", "python train.py"},
                  {"start_realtime_ns", "1765000000000000000"},
                  {"duration_ns", "41200000000"},
                  {"clock", "cpu"},
                  {"rate_asked_hz", "1000"},
                  {"rate_reached_hz", "997"},
                  {"kernel_time", "included"},
                  {"complete", "yes"}};
  profile.quality = {
      {"samples", 39'653}, {"truncated_stacks", 12}, {"handler_total_ns", 510 * kMillisecond}};
  return std::move(make.profile);
}

Profile PoolProfile() {
  ProfileMaker make;
  const ModuleId python = make.AddModule("/usr/lib/libpython3.12.so.1.0", kModuleIsPython);
  const ModuleId libc = make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0);
  const std::string site = "/home/ada/.venv/lib/python3.12/site-packages/";
  const ModuleId numpy = make.AddModule(site + "numpy/_core/_multiarray_umath.so", 0);
  const ModuleId blas = make.AddModule(site + "numpy.libs/libscipy_openblas64_.so", 0);
  const ModuleId vendor = make.AddModule("/opt/vendor/libvendor.so.2", 0);
  const FrameId eval = make.Native("_PyEval_EvalFrameDefault", python);
  const FrameId module = make.Python("<module>", "/home/ada/solve.py", 40, 1);
  const FrameId step = make.Python("solve", "/home/ada/solve.py", 17, 12);
  const FrameId fit = make.Python("Ridge.fit", site + "sklearn/linear_model/_ridge.py", 1240, 1200);
  const FrameId dot = make.Native("PyArray_MatrixProduct2", numpy);
  const FrameId gemm = make.Native("dgemm_kernel_HASWELL", blas);
  const FrameId server = make.Native("blas_thread_server", blas);
  const FrameId start_thread = make.Native("start_thread", libc);
  const FrameId yield = make.Native("__sched_yield", libc);
  const ThreadId main_thread = make.AddThread(700, 700, "solve.py", "MainThread");
  make.Add(main_thread, {eval, module, eval, step, eval, fit, dot, gemm}, 5'000, false);
  make.Add(main_thread, {eval, module, eval, step, eval, fit, dot}, 300);
  make.Add(main_thread, {eval, module, eval, step}, 900);
  make.Add(main_thread, {eval, module, eval, step, make.Native("list_sort_impl", python)}, 400);
  const FrameId getattr = make.Native("_PyObject_GenericGetAttrWithDict", python);
  const FrameId collect = make.Native("gc_collect_main", python);
  make.Add(main_thread, {eval, module, eval, step, getattr}, 700);
  make.Add(main_thread,
           {eval, module, eval, step, getattr, make.Native("unicodekeys_lookup_unicode", python)},
           350);
  make.Add(main_thread, {eval, module, eval, step, collect}, 250);
  make.Add(main_thread, {eval, module, eval, step, collect, make.Native("_PyObject_IS_GC", python)},
           500);
  make.Add(main_thread, {eval, module, make.Native("libvendor.so.2+0x1a20", vendor)}, 260);
  make.Add(main_thread, {eval, module, make.Native("libvendor.so.2+0x2f00", vendor)}, 130);
  for (int64_t tid = 701; tid <= 715; ++tid) {
    const ThreadId thread = make.AddThread(700, tid, "solve.py", "python3");
    make.Add(thread, {start_thread, server}, 200 + tid - 700, false);
    make.Add(thread, {start_thread, server, yield}, 40, false);
  }
  make.Add(make.AddThread(700, 720, "solve.py", "progress"),
           {make.Python("Thread._bootstrap", "/usr/lib/python3.12/threading.py", 1032, 1020),
            make.Python("show", "/home/ada/solve.py", 9, 5)},
           35);
  const FrameId run =
      make.Python("BaseProcess.run", "/usr/lib/python3.12/multiprocessing/process.py", 108, 100);
  const FrameId pool =
      make.Python("worker", "/usr/lib/python3.12/multiprocessing/pool.py", 125, 90);
  for (const int64_t pid : {801, 802}) {
    make.Add(make.AddThread(pid, pid, "solve.py", "python3"),
             {eval, module, run, pool, make.Python("load", "/home/ada/solve.py", 30, 28)},
             pid == 801 ? 620 : 580);
    make.profile.processes.back().parent_pid = 700;
  }
  make.profile.meta = {{"tool_version", "0.1.0"},  {"command", "python solve.py"},
                       {"clock", "cpu"},           {"rate_asked_hz", "1000"},
                       {"rate_reached_hz", "997"}, {"duration_ns", "11400000000"},
                       {"complete", "yes"}};
  int64_t samples = 0;
  for (const Value& value : make.profile.values) {
    if (value.metric == make.profile.FindMetric("samples")) samples += value.self;
  }
  make.profile.quality = {{"samples", samples}, {"handler_total_ns", 90 * kMillisecond}};
  return std::move(make.profile);
}

Profile HostileProfile() {
  ProfileMaker make;
  const std::string escape = "\x1b[31mred\x1b[0m\nsecond line\r\ttab";
  const std::string emoji = "\xF0\x9F\x9A\x80 caf\xC3\xA9 \xE6\xBC\xA2\xE5\xAD\x97";
  const std::string broken = "bad\xFF\xFE\xC3(\xE2\x80\xAE reversed \x7F \xC2\x9B";
  std::string zero("nul", 3);
  zero.push_back('\0');
  zero += "byte";
  const ModuleId module = make.AddModule("/tmp/" + escape + ".so", 0);
  const ThreadId thread = make.AddThread(1, 1, escape, broken);
  make.Add(thread, {make.Python(escape, "/x/" + broken + ".py", 3, 1), make.Native(emoji, module)},
           10);
  make.Add(
      thread,
      {make.Python(broken, "/x/" + emoji + ".py", 4, 1), make.Native(escape, module, escape, 9)},
      8);
  make.Add(thread, {make.Python(zero, zero, 5, 1), make.Nameless(module, 16)}, 5);
  make.Add(thread,
           {make.Native(std::string(5000, '<'), module),
            make.Native(std::string(3000, 'x') + "::y(", module)},
           3);
  make.profile.meta = {
      {"command", escape}, {"complete", "yes"}, {"problems", broken + "\n" + emoji}};
  make.profile.quality = {{"samples", 26}, {escape, 3}};
  return std::move(make.profile);
}

}  // namespace gprofx::testing
