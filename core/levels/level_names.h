// Recognizes modules, operators and CUDA calls by the names of frames.
//
// Knows PyTorch's symbols, the spans of its profiler (Kineto) and of emit_nvtx, and the runtimes
// and drivers of CUDA and HIP. Pure, any thread. Returned views live as long as the argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Returns the class of which `function` is the method `method`. For the method "forward":
// "GPT2Attention" for "GPT2Attention.forward" and for "main.<locals>.GPT2Attention.forward". "" for
// a bare "forward", the name that Python before 3.11 reports. nullopt for other functions.
std::optional<std::string_view> ClassOf(std::string_view function, std::string_view method);

// True for a function defined in another one, as decorators create them
// ("once_differentiable.<locals>.wrapper"). False if its own name is forward or backward.
bool IsDecorator(std::string_view function);

// True for the function of torch.nn.Module that calls a module's forward().
bool IsModuleCall(std::string_view function, std::string_view file);

// A module that a span of PyTorch's profiler names, such as "nn.Module: Linear_31".
struct NamedModule {
  std::string_view type;
  uint32_t number = 0;
};
std::optional<NamedModule> ModuleOfSpan(std::string_view name);

// Return the operator that a frame names; "" if there is none. From a symbol: "add" for
// at::_ops::add_Tensor::call(...). From a span: "mm" for "aten::mm", and "AddmmBackward0" for
// "autograd::engine::evaluate_function: AddmmBackward0".
std::string_view OperatorOfSymbol(std::string_view symbol);
std::string_view OperatorOfSpan(std::string_view name);

// Returns the operator of a node of a backward pass: "Addmm" for "AddmmBackward0" and for
// "torch::autograd::generated::AddmmBackward0::apply(...)". "" for other names.
std::string_view BackwardOf(std::string_view name);
// Returns a name that an operator and its backward node have in common: "addmm" for "Addmm" and
// "addmm_", "nativelayernorm" for "NativeLayerNorm" and "native_layer_norm".
std::string MatchingName(std::string_view name);

// HasXla() is true for a library that contains XLA, the compiler of JAX. XLA names a kernel after
// the instruction of the compiled program (HLO) that it implements. HloOfKernel() returns this
// instruction for a kernel's name, such as "loop_add_fusion_15"; "" for names of other kernels.
bool HasXla(std::string_view path);
std::string_view HloOfKernel(std::string_view kernel);

// True for functions of the CUDA and HIP APIs, such as cudaLaunchKernel, cuMemcpyAsync and
// hipModuleLaunchKernel.
bool IsDeviceCall(std::string_view function);

// True for libraries that only pass a launch on: the CUDA runtime and driver, CUPTI, and the C and
// C++ runtimes.
bool HandsLaunchesOn(std::string_view path);

}  // namespace gprofx
