#include "samplers/cuda/environment.h"

#include <dlfcn.h>

#include "samplers/cuda/devices.h"
#include "samplers/cuda/fork_pause.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr int64_t kEvery = 1'000'000'000;
constexpr unsigned kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t
constexpr unsigned kOnDie = 0;                      // nvmlTemperatureSensors_t

// Functions of NVML. Each returns 0 for success.
struct Nvml {
  int (*init)();
  int (*by_bus)(const char* bus, void** device);
  int (*clock)(void* device, unsigned type, unsigned* mhz);
  int (*power)(void* device, unsigned* milliwatts);
  int (*temperature)(void* device, unsigned sensor, unsigned* celsius);
  int (*throttle)(void* device, unsigned long long* reasons);
} nvml;

template <class F>
bool Find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

uint32_t Ask(int (*ask)(void*, unsigned*), void* device) {
  unsigned value = 0;
  return ask != nullptr && ask(device, &value) == 0 ? value : 0;
}

}  // namespace

bool Environment::Load() {
  if (asked_) return works_;
  asked_ = true;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || !Find(library, "nvmlInit_v2", nvml.init) ||
      !Find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.by_bus) ||
      !Find(library, "nvmlDeviceGetClockInfo", nvml.clock))
    return false;
  Find(library, "nvmlDeviceGetPowerUsage", nvml.power);
  Find(library, "nvmlDeviceGetTemperature", nvml.temperature);
  Find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.throttle);
  return works_ = nvml.init() == 0;
}

void* Environment::HandleOf(const char* pci_bus) const {
  void* handle = nullptr;
  return nvml.by_bus(pci_bus, &handle) == 0 ? handle : nullptr;
}

void Environment::Look() {
  const int64_t now = g_state.Now();
  if (now < next_ || !g_state.sampling()) return;
  next_ = now + kEvery;
  const std::vector<DeviceAddress> devices = DescribedDevices();
  const ForkPause pause;
  if (devices.empty() || !pause || !Load()) return;
  while (gpus_.size() < devices.size()) {
    const DeviceAddress& fresh = devices[gpus_.size()];
    gpus_.push_back({fresh.device, HandleOf(fresh.pci_bus.data())});
  }
  for (const Gpu& gpu : gpus_) {
    if (gpu.handle == nullptr) continue;
    wire::GpuEnvironmentRecord record{};
    record.time = static_cast<uint64_t>(g_state.Now());
    record.device = gpu.device;
    unsigned value = 0;
    if (nvml.clock(gpu.handle, kSmClock, &value) != 0) continue;
    record.sm_mhz = value;
    if (nvml.clock(gpu.handle, kMemoryClock, &value) == 0) record.memory_mhz = value;
    record.milliwatts = Ask(nvml.power, gpu.handle);
    if (nvml.temperature != nullptr && nvml.temperature(gpu.handle, kOnDie, &value) == 0)
      record.celsius = value;
    unsigned long long reasons = 0;
    if (nvml.throttle != nullptr && nvml.throttle(gpu.handle, &reasons) == 0)
      record.throttle = reasons;
    WriteRecord(wire::kGpuEnvironment, record);
  }
}

}  // namespace gprofx::cuda
