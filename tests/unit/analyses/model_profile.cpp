#include "model_profile.h"

#include <string>

namespace gprofx::testing {

ModelMaker::ModelMaker() {
  Process process;
  process.pid = 7;
  profile.processes.push_back(process);
  Thread own;
  own.process = ProcessId{1};
  own.tid = 7;
  profile.threads.push_back(own);
  thread = ThreadId{1};
  profile.meta["clock"] = "cpu";
  profile.meta["duration_ns"] = "1000000";
  gpu_ = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  operations_ = profile.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
  profile.AddMetric("cpu", "ns", MetricKind::kSampled);
}

FrameId ModelMaker::Python(std::string_view name, std::string_view file, uint32_t line) {
  const StringId path = profile.Intern(file);
  const FunctionId function = profile.Intern(Function{profile.Intern(name), path, 1, {}});
  return profile.Intern(Frame{FrameKind::kPython, function, path, line, {}, 0});
}

FrameId ModelMaker::Native(std::string_view name, std::string_view library) {
  const StringId path = profile.Intern(library);
  ModuleId module;
  for (uint32_t i = 0; i < profile.modules.size(); ++i) {
    if (profile.modules[i].path == path) module = ModuleId{i + 1};
  }
  if (!module) {
    gprofx::Module row;
    row.path = path;
    profile.modules.push_back(row);
    module = ModuleId{static_cast<uint32_t>(profile.modules.size())};
  }
  const FunctionId function = profile.Intern(Function{profile.Intern(name), {}, 0, module});
  return profile.Intern(Frame{FrameKind::kNative, function, {}, 0, module, 0});
}

namespace {

FrameId Plain(Profile& profile, FrameKind kind, std::string_view name) {
  const FunctionId function = profile.Intern(Function{profile.Intern(name), {}, 0, {}});
  return profile.Intern(Frame{kind, function, {}, 0, {}, 0});
}

}  // namespace

FrameId ModelMaker::Span(std::string_view name) {
  return Plain(profile, FrameKind::kOperator, name);
}
FrameId ModelMaker::Marker(std::string_view name) {
  return Plain(profile, FrameKind::kMarker, name);
}
FrameId ModelMaker::Kernel(std::string_view name) {
  return Plain(profile, FrameKind::kGpuKernel, name);
}
FrameId ModelMaker::Layers(std::string_view path) {
  return Plain(profile, FrameKind::kLayer, path);
}

std::vector<FrameId> ModelMaker::Module(FrameId caller, std::string_view type, uint32_t line) {
  constexpr char kModule[] = "/site-packages/torch/nn/modules/module.py";
  return {caller, Python("Module._wrapped_call_impl", kModule, 1779),
          Python("Module._call_impl", kModule, 1790),
          Python("wrapper.<locals>.inner", "/site-packages/lib/wrap.py", 9),
          Python(std::string(type) + ".forward", "/home/ada/model.py", line)};
}

std::vector<FrameId> ModelMaker::Op(std::string_view name, std::string_view kernel) {
  const std::string op = "at::_ops::" + std::string(name);
  return {Native(op + "::call(at::Tensor const&)"), Native(op + "::redispatch(at::Tensor const&)"),
          Native("at::native::launch(at::Tensor const&)"),
          Native("cudaLaunchKernel", "/opt/libcudart.so.13"), Kernel(kernel)};
}

NodeId ModelMaker::Node(std::initializer_list<std::vector<FrameId>> parts) {
  NodeId node = profile.root();
  for (const std::vector<FrameId>& part : parts) {
    for (const FrameId frame : part) node = profile.Child(node, frame);
  }
  return node;
}

void ModelMaker::Run(NodeId node, int64_t ns) {
  profile.AddSelf(node, thread, gpu_, ns);
  profile.AddSelf(node, thread, operations_, 1);
  PhaseOperation operation;
  operation.launch = now_;
  operation.start = now_ + 10;
  operation.end = operation.start + ns;
  operation.thread = thread;
  operation.node = node;
  work.operations.push_back(operation);
  work.configs.push_back(GpuConfigId{});
  now_ = operation.end + 10;
}

void ModelMaker::Untraced(HostNs ns) {
  const ProcessId process = profile.thread(thread).process;
  work.windows.push_back({traced_since_, now_, 0, true, true, process});
  traced_since_ = now_ + ns;
  work.windows.push_back({now_, traced_since_, 0, true, false, process});
  now_ = traced_since_;
}

}  // namespace gprofx::testing
