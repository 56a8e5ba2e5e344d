#include "samplers/cuda/devices.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

template <class F>
F DriverFunction(const char* name) {
  static void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<F>(dlsym(driver, name));
}

struct Driver {
  decltype(&cuDeviceGetAttribute) attribute;
  decltype(&cuDeviceGetName) name;
  decltype(&cuDeviceTotalMem) total;
  decltype(&cuDeviceGetUuid) uuid;
  decltype(&cuDeviceGetPCIBusId) bus;
  decltype(&cuDriverGetVersion) version;
  decltype(&cuDeviceGet) get;

  static const Driver& Get() {
    static const Driver driver = {
        DriverFunction<decltype(&cuDeviceGetAttribute)>("cuDeviceGetAttribute"),
        DriverFunction<decltype(&cuDeviceGetName)>("cuDeviceGetName"),
        DriverFunction<decltype(&cuDeviceTotalMem)>("cuDeviceTotalMem_v2"),
        DriverFunction<decltype(&cuDeviceGetUuid)>("cuDeviceGetUuid_v2"),
        DriverFunction<decltype(&cuDeviceGetPCIBusId)>("cuDeviceGetPCIBusId"),
        DriverFunction<decltype(&cuDriverGetVersion)>("cuDriverGetVersion"),
        DriverFunction<decltype(&cuDeviceGet)>("cuDeviceGet")};
    return driver;
  }
  bool whole() const {
    return attribute != nullptr && name != nullptr && total != nullptr && uuid != nullptr &&
           bus != nullptr && version != nullptr && get != nullptr;
  }
  uint32_t Number(CUdevice_attribute what, CUdevice device) const {
    int value = 0;
    if (attribute(&value, what, device) != CUDA_SUCCESS || value < 0) return 0;
    return static_cast<uint32_t>(value);
  }
};

wire::GpuDeviceRecord Describe(const Driver& driver, CUdevice device, uint32_t ordinal) {
  wire::GpuDeviceRecord r{};
  const auto number = [&](CUdevice_attribute what) { return driver.Number(what, device); };
  r.device = ordinal;
  r.compute_major = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  r.compute_minor = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  r.multiprocessors = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  r.clock_hz = uint64_t{number(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)} * 1000;
  size_t total = 0;
  if (driver.total(&total, device) == CUDA_SUCCESS) r.memory_bytes = total;
  // The factor 2 is the double data rate: two transfers per clock cycle.
  r.memory_bytes_per_s = uint64_t{number(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)} * 1000 * 2 *
                         number(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  r.threads_per_warp = number(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  if (r.threads_per_warp != 0) {
    r.warps_per_multiprocessor =
        number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / r.threads_per_warp;
  }
  r.blocks_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  r.registers_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  r.shared_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  int version = 0;
  if (driver.version(&version) == CUDA_SUCCESS) r.driver = static_cast<uint32_t>(version);
  CUuuid uuid{};
  if (driver.uuid(&uuid, device) == CUDA_SUCCESS) std::memcpy(r.uuid, uuid.bytes, sizeof(r.uuid));
  driver.bus(r.pci_bus, sizeof(r.pci_bus), device);
  return r;
}

// The following variables are never destroyed, because our thread may still run at the end of the
// program.
std::mutex lock;  // protects the variables below
uint64_t described = 0;
std::array<DeviceAddress, 64> addresses;
size_t address_count = 0;

}  // namespace

std::vector<DeviceAddress> DescribedDevices() {
  const std::lock_guard<std::mutex> guard(lock);
  return {addresses.begin(), addresses.begin() + address_count};
}

bool IsDescribed(uint32_t ordinal) {
  const std::lock_guard<std::mutex> guard(lock);
  return (described & uint64_t{1} << ordinal % 64) != 0;
}

void ForgetDevices() {
  const std::lock_guard<std::mutex> guard(lock);
  described = 0;
  address_count = 0;
}

DeviceFacts DescribeDevice(uint32_t ordinal) {
  const Driver& driver = Driver::Get();
  CUdevice device = 0;
  if (!driver.whole() || driver.get(&device, static_cast<int>(ordinal)) != CUDA_SUCCESS) return {};
  struct {
    wire::GpuDeviceRecord record;
    char name[256];
  } out{};
  out.record = Describe(driver, device, ordinal);
  DeviceFacts facts{out.record.compute_major,
                    out.record.multiprocessors,
                    out.record.clock_hz,
                    out.record.memory_bytes,
                    {}};
  static_assert(sizeof(facts.id) == sizeof(out.record.uuid));
  std::memcpy(facts.id.data(), out.record.uuid, sizeof(out.record.uuid));
  const std::lock_guard<std::mutex> guard(lock);
  const uint64_t bit = uint64_t{1} << ordinal % 64;
  if ((described & bit) != 0) return facts;
  described |= bit;
  DeviceAddress& address = addresses[address_count++];  // there is one for each bit of `described`
  address.device = ordinal;
  static_assert(sizeof(address.pci_bus) == sizeof(out.record.pci_bus));
  std::memcpy(address.pci_bus.data(), out.record.pci_bus, address.pci_bus.size() - 1);
  driver.name(out.name, sizeof(out.name) - 1, device);
  const auto length = static_cast<uint32_t>(std::strlen(out.name));
  out.record.name_length = length;
  out.record.header.type = wire::kGpuDevice;
  WriteRecord(&out.record.header, static_cast<uint32_t>(sizeof(out.record)) + wire::PadTo8(length));
  return facts;
}

uint32_t CurrentDevice() {
  static const auto ask = DriverFunction<decltype(&cuCtxGetDevice)>("cuCtxGetDevice");
  CUdevice device = 0;
  return ask != nullptr && ask(&device) == CUDA_SUCCESS ? static_cast<uint32_t>(device) : 0;
}

uint64_t FreeDeviceMemory() {
  static const auto ask = DriverFunction<decltype(&cuMemGetInfo)>("cuMemGetInfo_v2");
  size_t free_bytes = 0, total = 0;
  if (ask == nullptr || ask(&free_bytes, &total) != CUDA_SUCCESS) return 0;
  return free_bytes;
}

}  // namespace gprofx::cuda
