// A model under PyTorch as the recorder stores it, made by hand: stacks of modules and operators,
// and the operations of a GPU that they launch, one after the other.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"

namespace gprofx::testing {

class ModelMaker {
 public:
  ModelMaker();

  FrameId Python(std::string_view name, std::string_view file, uint32_t line);
  FrameId Native(std::string_view name, std::string_view library = "/opt/libtorch_cuda.so");
  FrameId Span(std::string_view name);
  FrameId Marker(std::string_view name);
  FrameId Layers(std::string_view path);  // core/model/layer_path.h
  FrameId Kernel(std::string_view name);

  // Frames of Module.__call__ down to forward(), called by `caller`.
  std::vector<FrameId> Module(FrameId caller, std::string_view type, uint32_t line = 1);
  // at::_ops::NAME::call, its redispatch, and the launch of a kernel.
  std::vector<FrameId> Op(std::string_view name, std::string_view kernel);

  NodeId Node(std::initializer_list<std::vector<FrameId>> parts);
  // Runs next, for `ns`.
  void Run(NodeId node, int64_t ns);

  // Nothing is seen of the next `ns`.
  void Untraced(HostNs ns);

  Profile profile;
  GpuWorkEvents work;
  ThreadId thread;

 private:
  MetricId gpu_, operations_;
  HostNs now_ = 1000;
  HostNs traced_since_ = 0;
};

}  // namespace gprofx::testing
