#include "samplers/collector/gpu/places.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gprofx {
namespace {

constexpr uint64_t kUnknownResident = uint64_t{132} * 64;  // a large GPU

std::string Uuid(const uint8_t (&bytes)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

int64_t Signed(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
}

std::string DriverVersion(uint32_t driver) {  // 13020 -> "13.2"
  return driver == 0 ? ""
                     : std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
}

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

uint32_t GpuPlaces::Device(const wire::GpuDeviceRecord& record, std::string_view name) {
  std::array<uint8_t, 16> uuid;
  std::copy(std::begin(record.uuid), std::end(record.uuid), uuid.begin());
  const auto found = devices_.find(uuid);
  if (found != devices_.end()) return found->second;
  auto& rows = profile_.gpu.devices;
  if (rows.size() >= kMostDevices) return 0;
  GpuDevice device;
  device.name = profile_.Intern(name);
  device.uuid = profile_.Intern(Uuid(record.uuid));
  device.pci_bus = profile_.Intern(
      std::string_view(record.pci_bus, strnlen(record.pci_bus, sizeof record.pci_bus)));
  device.driver = profile_.Intern(DriverVersion(record.driver));
  device.compute_major = record.compute_major;
  device.compute_minor = record.compute_minor;
  device.multiprocessors = record.multiprocessors;
  device.clock_hz = Signed(record.clock_hz);
  device.memory_bytes = Signed(record.memory_bytes);
  device.memory_bytes_per_s = Signed(record.memory_bytes_per_s);
  rows.push_back(device);
  return devices_[uuid] = static_cast<uint32_t>(rows.size());
}

uint32_t GpuPlaces::Context(ProcessId process, uint32_t number) {
  auto& rows = profile_.gpu.contexts;
  const auto found = contexts_.find(Pair(process.value, number));
  if (found != contexts_.end()) return found->second;
  if (rows.size() >= kMostRows) return 0;
  rows.push_back({process, 0, number});
  return contexts_[Pair(process.value, number)] = static_cast<uint32_t>(rows.size());
}

uint32_t GpuPlaces::Stream(uint32_t context, uint32_t number) {
  if (context == 0) return 0;
  auto& rows = profile_.gpu.streams;
  const auto found = streams_.find(Pair(context, number));
  if (found != streams_.end()) return found->second;
  if (rows.size() >= kMostRows) return 0;
  rows.push_back({context, number, 0});
  return streams_[Pair(context, number)] = static_cast<uint32_t>(rows.size());
}

uint32_t GpuPlaces::Config(const GpuKernelConfig& config) {
  auto& rows = profile_.gpu.configs;
  const auto found = configs_.find(config);
  if (found != configs_.end()) return found->second;
  if (rows.size() >= kMostConfigs) return 0;
  rows.push_back(config);
  return configs_[config] = static_cast<uint32_t>(rows.size());
}

void GpuPlaces::SetDevice(uint32_t context, uint32_t device) {
  if (context != 0 && device != 0) profile_.gpu.contexts[context - 1].device = device;
}

void ProcessPlaces::AddDevice(const wire::GpuDeviceRecord& record, std::string_view name) {
  if (devices_.size() >= GpuPlaces::kMostDevices) return;
  Known known;
  known.row = places_.Device(record, name);
  known.resident_warps = uint64_t{record.multiprocessors} * record.warps_per_multiprocessor;
  if (record.threads_per_warp != 0) known.warp_threads = record.threads_per_warp;
  devices_[record.device] = known;
}

void ProcessPlaces::AddContext(uint32_t context, uint32_t device) {
  const auto found = devices_.find(device);
  if (found == devices_.end()) return;
  places_.SetDevice(places_.Context(process_, context), found->second.row);
}

uint32_t ProcessPlaces::Device(uint32_t number) const {
  const auto found = devices_.find(number);
  return found == devices_.end() ? 0 : found->second.row;
}

uint32_t ProcessPlaces::Context(uint32_t number, uint32_t device) {
  const uint32_t row = places_.Context(process_, number);
  const auto found = devices_.find(device);
  if (found != devices_.end()) places_.SetDevice(row, found->second.row);
  return row;
}

uint32_t ProcessPlaces::Stream(uint32_t context_number, uint32_t device, uint32_t number) {
  return places_.Stream(Context(context_number, device), number);
}

uint64_t ProcessPlaces::ResidentWarps(uint32_t device) const {
  const auto found = devices_.find(device);
  const uint64_t warps = found == devices_.end() ? 0 : found->second.resident_warps;
  return warps == 0 ? kUnknownResident : std::min<uint64_t>(warps, 1u << 24);
}

uint32_t ProcessPlaces::WarpThreads(uint32_t device) const {
  const auto found = devices_.find(device);
  return found == devices_.end() ? 32 : found->second.warp_threads;
}

GpuKernelConfig ConfigOf(const wire::GpuKernelRecord& record, FunctionId function) {
  GpuKernelConfig config;
  config.function = function;
  std::copy(std::begin(record.grid), std::end(record.grid), config.grid);
  std::copy(std::begin(record.block), std::end(record.block), config.block);
  config.registers = record.registers;
  config.static_shared = record.static_shared;
  config.dynamic_shared = record.dynamic_shared;
  config.local = record.local;
  return config;
}

}  // namespace gprofx
