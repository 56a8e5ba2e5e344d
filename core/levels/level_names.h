// Derives the levels of a model from the names of frames: modules, operators, CUDA calls.
//
// Names are those of PyTorch's symbols, of its profiler (Kineto), of emit_nvtx, and of the CUDA and
// HIP runtimes and drivers. Pure, any thread; views live as long as the argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// For `method` "forward", returns "GPT2Attention" for "GPT2Attention.forward" and for
// "main.<locals>.GPT2Attention.forward"; "" for a bare "forward", as Python before 3.11 reports it;
// nothing for other functions.
std::optional<std::string_view> ClassOf(std::string_view function, std::string_view method);

// True for a function within a function, as decorators create
// ("once_differentiable.<locals>.wrapper"), unless it is forward() or backward() itself.
bool IsDecorator(std::string_view function);

// True for the function of torch.nn.Module that calls forward().
bool IsModuleCall(std::string_view function, std::string_view file);

// Parsed from "nn.Module: Linear_31", a span of the PyTorch profiler.
struct NamedModule {
  std::string_view type;
  uint32_t number = 0;
};
std::optional<NamedModule> ModuleOfSpan(std::string_view name);

// Return the operator of a frame: "add" for at::_ops::add_Tensor::call(...), "mm" for "aten::mm",
// "AddmmBackward0" for "autograd::engine::evaluate_function: AddmmBackward0"; "" if there is none.
std::string_view OperatorOfSymbol(std::string_view symbol);
std::string_view OperatorOfSpan(std::string_view name);

// Returns "Addmm" for "AddmmBackward0" and for
// "torch::autograd::generated::AddmmBackward0::apply(...)"; "" if it is not a node of a backward
// pass.
std::string_view BackwardOf(std::string_view name);
// Returns the common name of an operator and its backward node: "addmm" for "Addmm" and "addmm_",
// "nativelayernorm" for "NativeLayerNorm" and "native_layer_norm".
std::string MatchingName(std::string_view name);

// True for a library with XLA, the compiler of JAX. XLA names a kernel after the instruction of the
// compiled program (HLO) that it implements, "loop_add_fusion_15". HloOfKernel returns "" for other
// kernel names.
bool HasXla(std::string_view path);
std::string_view HloOfKernel(std::string_view kernel);

// cudaLaunchKernel, cuMemcpyAsync, hipModuleLaunchKernel, ...
bool IsDeviceCall(std::string_view function);

// True for libraries that forward a launch: the CUDA runtime and driver, CUPTI, the C and C++
// runtime.
bool HandsLaunchesOn(std::string_view path);

}  // namespace gprofx
