#include "samplers/cuda/hooks/call_names.h"

#include <catch2/catch.hpp>

using namespace gprofx;
using gprofx::cuda::CallOfName;
using gprofx::cuda::NeedsCupti;
using gprofx::cuda::TakesHandleSecond;

TEST_CASE("driver functions are sorted by their names") {
  CHECK(CallOfName("cuLaunchKernel") == wire::kCallLaunch);
  CHECK(CallOfName("cuLaunchKernelEx_ptsz") == wire::kCallLaunch);
  CHECK(CallOfName("cuLaunchGridAsync") == wire::kCallLaunch);
  CHECK(CallOfName("cuLaunchCooperativeKernel_ptsz") == wire::kCallLaunchCooperative);
  CHECK(CallOfName("cuLaunchHostFunc") == wire::kCallNone);
  CHECK(CallOfName("cuGraphLaunch_ptsz") == wire::kCallGraphLaunch);
  CHECK(CallOfName("cuMemcpyHtoD_v2") == wire::kCallCopy);
  CHECK(CallOfName("cuMemcpyDtoHAsync_v2_ptsz") == wire::kCallCopyAsync);
  CHECK(CallOfName("cuMemcpy3DBatchAsync") == wire::kCallCopyAsync);
  CHECK(CallOfName("cuMemsetD8_v2") == wire::kCallSet);
  CHECK(CallOfName("cuMemsetD32Async") == wire::kCallSetAsync);
  CHECK(CallOfName("cuStreamSynchronize_ptsz") == wire::kCallStreamSync);
  CHECK(CallOfName("cuCtxSynchronize_v2") == wire::kCallContextSync);
  CHECK(CallOfName("cuEventSynchronize") == wire::kCallEventSync);
  CHECK(CallOfName("cuMemAlloc_v2") == wire::kCallAlloc);
  CHECK(CallOfName("cuMemAllocFromPoolAsync") == wire::kCallAllocAsync);
  CHECK(CallOfName("cuMemFreeHost") == wire::kCallFree);
  CHECK(CallOfName("cuLibraryLoadData") == wire::kCallModuleLoad);
  CHECK(CallOfName("cuStreamEndCapture") == wire::kCallGraphBuild);
  CHECK(NeedsCupti("cuCtxCreate_v4"));
  CHECK(NeedsCupti("cuStreamBeginCapture_v2"));
  CHECK_FALSE(NeedsCupti("cuCtxSetCurrent"));
  for (const char* other : {"cuCtxGetCurrent", "cuStreamWaitEvent", "cuEventRecord", "cuMemGetInfo",
                            "cuGraphAddKernelNode", ""})
    CHECK(CallOfName(other) == wire::kCallNone);
}

TEST_CASE("where the handle of the kernel lies among the parameters") {
  CHECK(TakesHandleSecond("cuLaunchKernelEx"));
  CHECK(TakesHandleSecond("cuLaunchKernelEx_ptsz"));
  for (const char* first :
       {"cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchCooperativeKernel", "cuGraphLaunch"})
    CHECK_FALSE(TakesHandleSecond(first));
}

TEST_CASE("work refers to the call, waiting and allocations do not") {
  CHECK(cuda::PutsWork(wire::kCallLaunch));
  CHECK(cuda::PutsWork(wire::kCallGraphLaunch));
  CHECK(cuda::PutsWork(wire::kCallSetAsync));
  CHECK_FALSE(cuda::PutsWork(wire::kCallStreamSync));
  CHECK(cuda::OnlyWaits(wire::kCallStreamSync));
  CHECK_FALSE(cuda::OnlyWaits(wire::kCallCopyAsync));
  CHECK_FALSE(cuda::PutsWork(wire::kCallAlloc));
  CHECK_FALSE(cuda::PutsWork(wire::kCallNone));
}
