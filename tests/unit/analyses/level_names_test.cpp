#include "core/levels/level_names.h"

#include <catch2/catch.hpp>

namespace gprofx {

TEST_CASE("classes of forward functions") {
  CHECK(ClassOf("GPT2Attention.forward", "forward") == "GPT2Attention");
  CHECK(ClassOf("main.<locals>.Net.forward", "forward") == "Net");
  CHECK(ClassOf("forward", "forward") == "");
  CHECK_FALSE(ClassOf("main.<locals>.forward", "forward"));
  CHECK_FALSE(ClassOf("fast_forward", "forward"));
  CHECK_FALSE(ClassOf("Net.forward_features", "forward"));
  CHECK_FALSE(ClassOf("", "forward"));
  CHECK(ClassOf("FlashAttnFunc.backward", "backward") == "FlashAttnFunc");
  CHECK_FALSE(ClassOf("FlashAttnFunc.backward", "forward"));
  CHECK(IsDecorator("once_differentiable.<locals>.wrapper"));
  CHECK_FALSE(IsDecorator("f.<locals>.Compiled.forward"));
  CHECK_FALSE(IsDecorator("wrapper"));
  CHECK_FALSE(IsDecorator("make_autograd_impl.<locals>.forward"));
}

TEST_CASE("calls of modules are those of torch alone") {
  constexpr char kFile[] = "/x/site-packages/torch/nn/modules/module.py";
  CHECK(IsModuleCall("Module._call_impl", kFile));
  CHECK(IsModuleCall("_wrapped_call_impl", kFile));
  CHECK(IsModuleCall("Module.__call__", kFile));
  CHECK_FALSE(IsModuleCall("Module._call_impl", "/home/ada/module.py"));
  CHECK_FALSE(IsModuleCall("Module.apply", kFile));
}

TEST_CASE("spans of modules") {
  const auto linear = ModuleOfSpan("nn.Module: Linear_31");
  REQUIRE(linear);
  CHECK(linear->type == "Linear");
  CHECK(linear->number == 31);
  CHECK(ModuleOfSpan("nn.Module: My_Net_2")->type == "My_Net");
  CHECK(ModuleOfSpan("nn.Module: Odd")->type == "Odd");
  CHECK(ModuleOfSpan("nn.Module: Odd_")->type == "Odd_");
  CHECK_FALSE(ModuleOfSpan("aten::mm"));
}

TEST_CASE("operators of symbols and spans") {
  CHECK(OperatorOfSymbol("at::_ops::add_Tensor::call(at::Tensor const&)") == "add");
  CHECK(OperatorOfSymbol("at::_ops::fill__Scalar::redispatch(c10::DispatchKeySet)") == "fill_");
  CHECK(OperatorOfSymbol("at::_ops::sum_dim_IntList::call()") == "sum");
  CHECK(OperatorOfSymbol("at::_ops::copy_::call()") == "copy_");
  CHECK(OperatorOfSymbol("at::_ops::_to_copy::call()") == "_to_copy");
  CHECK(OperatorOfSymbol("at::_ops::embedding_dense_backward::call()") ==
        "embedding_dense_backward");
  CHECK(OperatorOfSymbol("at::_ops::mm_out::call()") == "mm");
  CHECK(OperatorOfSymbol("void f<&at::_ops::mm::call>(int)") == "");
  CHECK(OperatorOfSymbol("at::_ops::mm::schema_str") == "");
  CHECK(OperatorOfSpan("aten::copy_") == "copy_");
  CHECK(OperatorOfSpan("nccl:all_reduce") == "nccl:all_reduce");
  CHECK(OperatorOfSpan("ProfilerStep") == "");
}

TEST_CASE("nodes of backward passes") {
  for (const char* name :
       {"AddmmBackward0", "AddmmBackward", "autograd::engine::evaluate_function: AddmmBackward0",
        "torch::autograd::generated::AddmmBackward0::apply(std::vector<>&&)"}) {
    CHECK(BackwardOf(name) == "Addmm");
  }
  CHECK(BackwardOf("Backward0") == "");
  CHECK(BackwardOf("embedding_dense_backward") == "");
  CHECK(BackwardOf("RegisterPostBackwardFunction") == "");
  CHECK(MatchingName("NativeLayerNorm") == MatchingName("native_layer_norm"));
  CHECK(MatchingName("Relu") == MatchingName("relu_"));
}

TEST_CASE("calls of devices, and libraries that hand them on") {
  CHECK(IsDeviceCall("cudaLaunchKernel"));
  CHECK(IsDeviceCall("cuMemcpyAsync"));
  CHECK(IsDeviceCall("hipModuleLaunchKernel"));
  CHECK_FALSE(IsDeviceCall("cublasGemmEx"));
  CHECK_FALSE(IsDeviceCall("cuda::stream::launch"));
  CHECK(HandsLaunchesOn("/usr/lib/libcuda.so.1"));
  CHECK_FALSE(HandsLaunchesOn("/usr/lib/libcublasLt.so.13"));
}

}  // namespace gprofx
