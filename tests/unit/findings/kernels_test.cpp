// Kernels that could be fewer or faster, and backward passes: each detector finds what was put into
// a program, at its line, with what the repaired program saves.
#include <catch2/catch.hpp>

#include "seeded_program.h"

namespace gprofx::testing {

TEST_CASE("elementwise kernels of one line") {
  Check(
      [](ProgramMaker& make, bool bad) {
        // Operations of one line differ in their position in it.
        for (int i = 0; i < (bad ? 8 : 1); ++i) {
          const NodeId part =
              make.Node({make.Python("step", 7), make.Native("op" + std::to_string(i))});
          make.Host(5'000, make.Line(7));
          make.Kernel(part, kAdd, 100'000);
        }
        Busy(make, 400'000);
      },
      "fusable", 7);
}

TEST_CASE("two elementwise kernels of one line are usual") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        for (int i = 0; i < 2; ++i) make.Kernel(make.Line(7), kAdd, 100'000);
        Busy(make, 400'000);
      },
      true);
  CHECK(run.report.rows.empty());
}

// Once in a while a call path is another one, which makes of a loop no sequence of hundreds.
TEST_CASE("an elementwise kernel in a loop is no sequence") {
  int step = 0;
  const Run run = Make(
      [&](ProgramMaker& make, bool) {
        for (int i = 0; i < 8; ++i) {
          const bool other = ++step % 37 == 0;
          const NodeId at =
              other ? make.Node({make.Python("step", 7), make.Native("helper")}) : make.Line(7);
          make.Kernel(at, kAdd, 500'000);
        }
      },
      true);
  CHECK(FindRow(run.report, "fusable") == nullptr);
}

TEST_CASE("products without tensor cores") {
  Check(
      [](ProgramMaker& make, bool bad) {
        make.Host(5'000, make.Line(7));
        if (bad) {
          make.Kernel(make.Line(7), "ampere_sgemm_128x64_nn", 2'700'000);
        } else {
          make.Kernel(make.Line(7),
                      "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_cublas", 400'000);
        }
      },
      "no-tensor-cores", 7);
}

TEST_CASE("a kernel with large strides") {
  // 67,108,864 elements of 4 bytes; two read and one written take 0.28 ms at 85 % of 3,352 GB/s.
  constexpr char kStrided[] =
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
      "CUDAFunctor_add<float> >(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> "
      "const&)::"
      "{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> "
      ">"
      "(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1})";
  Check(
      [&](ProgramMaker& make, bool bad) {
        make.Host(5'000, make.Line(7));
        make.Kernel(make.Line(7), bad ? kStrided : kAdd, bad ? 1'000'000 : 283'000, 1, 131'072);
      },
      "stall-hot-spot", 7);
}

TEST_CASE("a backward pass in Python, row by row") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const FrameId engine = make.Native(
            "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> "
            "const&)");
        make.Host(20'000, make.Node({make.Python("step", 3), make.Python("Scale.forward", 5)}));
        make.Kernel(make.Node({make.Python("step", 3), make.Python("Scale.forward", 5)}), kAdd,
                    20'000);
        Busy(make, 1'000'000);
        const NodeId row = make.Node({engine, make.Python("Scale.backward", 7)});
        for (int i = 0; i < (bad ? 300 : 1); ++i) {
          make.Host(20'000, row);
          make.Kernel(row, kAdd, bad ? 4'000 : 20'000);
        }
        make.Wait(make.Line(9), "cuCtxSynchronize");
      },
      "slow-backward", 7);
}

TEST_CASE("a forward pass that takes no time is not compared with") {
  const Run run = Make(
      [](ProgramMaker& make, bool) {
        const NodeId forward = make.Node({make.Python("step", 3), make.Python("Scale.forward", 5)});
        make.Kernel(forward, kAdd, 0);
        Busy(make, 1'000'000);
        const NodeId row =
            make.Node({make.Native("torch::autograd::Engine::thread_main(std::shared_ptr<"
                                   "torch::autograd::GraphTask> const&)"),
                       make.Python("Scale.backward", 7)});
        for (int i = 0; i < 300; ++i) {
          make.Host(20'000, row);
          make.Kernel(row, kAdd, 4'000);
        }
        make.Wait(make.Line(9), "cuCtxSynchronize");
      },
      true);
  CHECK_FALSE(run.report.rows.empty());
  CHECK(FindRow(run.report, "slow-backward") == nullptr);
}

TEST_CASE("host time of a second forward pass goes without a sample in it") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const FrameId engine = make.Native(
            "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> "
            "const&)");
        const FrameId checkpoint =
            make.Python("checkpoint", 480, "/opt/site-packages/torch/utils/checkpoint.py");
        const FrameId again =
            make.Python("recompute_fn", 1500, "/opt/site-packages/torch/utils/checkpoint.py");
        const NodeId first =
            make.Node({make.Python("step", 7), checkpoint, make.Python("Block.forward", 20)});
        const NodeId second = make.Node({engine, again, make.Python("Block.forward", 20)});
        const auto pass = [&](NodeId node) {
          for (int i = 0; i < 40; ++i) {
            make.Off(30'000);
            make.Kernel(node, kGemm, 5'000);
          }
        };
        pass(first);
        make.Host(10'000, make.Node({engine}));
        if (bad) pass(second);
        make.Host(10'000, make.Node({engine}));
        make.Kernel(make.Node({engine}), kGemm, 40'000);
      },
      "recomputation", 7);
}

TEST_CASE("activations are computed a second time") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const FrameId engine = make.Native(
            "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> "
            "const&)");
        const FrameId checkpoint =
            make.Python("checkpoint", 480, "/opt/site-packages/torch/utils/checkpoint.py");
        const FrameId again =
            make.Python("recompute_fn", 1500, "/opt/site-packages/torch/utils/checkpoint.py");
        const NodeId first =
            make.Node({make.Python("step", 7), checkpoint, make.Python("Block.forward", 20)});
        for (int i = 0; i < 4; ++i) {
          make.Host(5'000, first);
          make.Kernel(first, kGemm, 200'000);
        }
        for (int i = 0; i < 4; ++i) {
          make.Host(10'000, make.Node({engine}));
          if (bad) {
            make.Kernel(make.Node({engine, again, make.Python("Block.forward", 20)}), kGemm,
                        200'000);
            make.Host(5'000, make.Node({engine}));
          }
          make.Kernel(make.Node({engine}), kGemm, 400'000);
        }
      },
      "recomputation", 7);
}

namespace {

// Passes of a checkpointed program.
struct Checkpoint {
  explicit Checkpoint(ProgramMaker& make)
      : engine(make.Native("torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::"
                           "GraphTask> const&)")),
        hook(make.Native("torch::autograd::PySavedVariableHooks::call_unpack_hook()")),
        ask(make.Python("checkpoint", 480, "/opt/site-packages/torch/utils/checkpoint.py")),
        again(make.Python("recompute_fn", 1500, "/opt/site-packages/torch/utils/checkpoint.py")) {}
  FrameId engine, hook, ask, again;
};

// The host saves a tensor, and fetches it, for each operation of the backward pass.
void HookedPass(ProgramMaker& make, bool bad, FrameId python) {
  const Checkpoint frames(make);
  const NodeId first =
      make.Node({make.Python("step", 7), frames.ask, make.Python("Block.forward", 20)});
  const NodeId backward = make.Node({frames.engine});
  for (int i = 0; i < 8; ++i) {
    make.Host(5'000, first);
    make.Kernel(first, kGemm, 20'000);
  }
  for (int i = 0; i < 8; ++i) {
    make.Host(10'000, backward);
    if (bad && i == 0) {
      make.Kernel(make.Node({frames.engine, frames.again, make.Python("Block.forward", 20)}), kGemm,
                  20'000);
    }
    if (bad) {
      make.Host(30'000, make.Node({frames.engine, frames.hook, python}));
      make.Host(70'000, make.Node({frames.engine, frames.hook}));
    }
    make.Kernel(backward, kGemm, 20'000);
  }
}

}  // namespace

TEST_CASE("to fetch saved tensors from a checkpoint is a part of it") {
  Check(
      [](ProgramMaker& make, bool bad) {
        HookedPass(
            make, bad,
            make.Python("unpack_hook", 1100, "/opt/site-packages/torch/utils/checkpoint.py"));
      },
      "recomputation", 7);
}

TEST_CASE("hooks that keep saved tensors elsewhere are no checkpoint's") {
  const Run run = Make(
      [](ProgramMaker& make, bool bad) {
        HookedPass(make, bad, make.Python("unpack_from_cpu", 30, "/home/ada/offload.py"));
      },
      true);
  const Inefficiency* row = FindRow(run.report, "recomputation");
  CHECK((row == nullptr || row->saving_ns < 100'000));
}

// Samples fell into two of three intervals.
TEST_CASE("what no sample tells of a checkpoint is as where samples tell it") {
  Check(
      [](ProgramMaker& make, bool bad) {
        const Checkpoint frames(make);
        const FrameId step = make.Python("step", 7);
        for (uint32_t i = 0; i < 30; ++i) {
          if (bad && i % 3 != 0) make.Host(40'000, make.Node({step, frames.ask}));
          if (bad && i % 3 == 0) make.Off(40'000);
          make.Kernel(make.Node({step, frames.ask, make.Python("Block.forward", 20 + i)}), kGemm,
                      5'000);
        }
        make.Host(10'000, make.Node({frames.engine}));
        if (bad) {
          make.Kernel(make.Node({frames.engine, frames.again, make.Python("Block.forward", 20)}),
                      kGemm, 5'000);
        }
        make.Host(10'000, make.Node({frames.engine}));
        make.Kernel(make.Node({frames.engine}), kGemm, 40'000);
      },
      "recomputation", 7);
}

TEST_CASE("communication that nothing hides") {
  Check(
      [](ProgramMaker& make, bool bad) {
        Busy(make, 2'000'000);
        make.Host(5'000, make.Line(7));
        make.Kernel(make.Line(7),
                    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                    1'000'000, bad ? 1 : 2);
        Busy(make, 2'000'000);
      },
      "exposed-communication", 7);
}

}  // namespace gprofx::testing
