// What the names of frames say about the levels of a model: modules, operators, calls of CUDA.
//
// Names are those of PyTorch's own symbols, of its profiler (Kineto) and of emit_nvtx, and of
// CUDA's and HIP's runtime and driver. Pure, any thread; views live as long as the argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Of `method` "forward": "GPT2Attention" of "GPT2Attention.forward" and of
// "main.<locals>.GPT2Attention.forward"; "" of a bare "forward", which Python before 3.11 says.
// Nothing for other functions.
std::optional<std::string_view> ClassOf(std::string_view function, std::string_view method);

// "once_differentiable.<locals>.wrapper": a function within a function, as decorators make them;
// not where it is the forward() or backward() itself.
bool IsDecorator(std::string_view function);

// The function of torch.nn.Module that calls forward().
bool IsModuleCall(std::string_view function, std::string_view file);

// "nn.Module: Linear_31" of the profiler of PyTorch.
struct NamedModule {
  std::string_view type;
  uint32_t number = 0;
};
std::optional<NamedModule> ModuleOfSpan(std::string_view name);

// The operator that a frame is: "add" of at::_ops::add_Tensor::call(...), "mm" of "aten::mm",
// "AddmmBackward0" of "autograd::engine::evaluate_function: AddmmBackward0". "" where it is none.
std::string_view OperatorOfSymbol(std::string_view symbol);
std::string_view OperatorOfSpan(std::string_view name);

// "Addmm" of "AddmmBackward0", of "torch::autograd::generated::AddmmBackward0::apply(...)"; "" for
// what is no node of a backward pass.
std::string_view BackwardOf(std::string_view name);
// Operators and nodes of backward passes that belong together have the same: "addmm" of "Addmm" and
// of "addmm_", "nativelayernorm" of "NativeLayerNorm" and of "native_layer_norm".
std::string MatchingName(std::string_view name);

// A library with XLA, the compiler of JAX. It names a kernel as the instruction of the compiled
// program (HLO) that it was made of: "loop_add_fusion_15". "" of kernels whose name is another one.
bool HasXla(std::string_view path);
std::string_view HloOfKernel(std::string_view kernel);

// cudaLaunchKernel, cuMemcpyAsync, hipModuleLaunchKernel, ...
bool IsDeviceCall(std::string_view function);

// A library that hands a launch on: CUDA's runtime and driver, CUPTI, the C and C++ runtime.
bool HandsLaunchesOn(std::string_view path);

}  // namespace gprofx
