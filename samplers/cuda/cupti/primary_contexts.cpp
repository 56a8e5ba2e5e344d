#include "samplers/cuda/cupti/primary_contexts.h"

#include "samplers/cuda/hooks/driver_lookup.h"

namespace gprofx::cuda {
namespace {

struct Driver {
  decltype(&cuDeviceGet) get = nullptr;
  decltype(&cuDevicePrimaryCtxGetState) state = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) release = nullptr;
  decltype(&cuCtxPushCurrent) push = nullptr;
  decltype(&cuCtxPopCurrent) pop = nullptr;

  bool Find() {
    if (pop != nullptr) return true;
    return FindInDriver(get, "cuDeviceGet") && FindInDriver(state, "cuDevicePrimaryCtxGetState") &&
           FindInDriver(retain, "cuDevicePrimaryCtxRetain") &&
           FindInDriver(release, "cuDevicePrimaryCtxRelease_v2") &&
           FindInDriver(push, "cuCtxPushCurrent_v2") && FindInDriver(pop, "cuCtxPopCurrent_v2");
  }
};

}  // namespace

void ForEachPrimaryContext(const std::function<void(CUcontext)>& use) {
  static Driver driver;
  if (!driver.Find()) return;
  constexpr int kMaxDevices = 64;
  CUdevice device = 0;
  for (int i = 0; i < kMaxDevices && driver.get(&device, i) == CUDA_SUCCESS; ++i) {
    unsigned flags = 0;
    int active = 0;
    CUcontext context = nullptr;
    if (driver.state(device, &flags, &active) != CUDA_SUCCESS || active == 0) continue;
    if (driver.retain(&context, device) != CUDA_SUCCESS) continue;
    if (driver.push(context) == CUDA_SUCCESS) {
      use(context);
      driver.pop(&context);
    }
    driver.release(device);
  }
}

}  // namespace gprofx::cuda
