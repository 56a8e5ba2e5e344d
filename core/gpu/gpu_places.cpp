#include "core/gpu/gpu_places.h"

#include <algorithm>

namespace gprofx {
namespace {

// Number of resident warps for a device that did not report it: that of a large GPU.
constexpr uint64_t kUnknownResident = uint64_t{132} * 64;

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

GpuDeviceId GpuPlaces::Device(const GpuDeviceFacts& facts) {
  const auto found = facts.uuid.empty() ? devices_.end() : devices_.find(facts.uuid);
  if (found != devices_.end()) return found->second;
  auto& rows = profile_.gpu.devices;
  if (rows.size() >= kMaxDevices) return NoRow<GpuDeviceId>();
  GpuDevice device;
  device.name = profile_.Intern(facts.name);
  device.uuid = profile_.Intern(facts.uuid);
  device.pci_bus = profile_.Intern(facts.pci_bus);
  device.driver = profile_.Intern(facts.driver);
  device.compute_major = facts.compute_major;
  device.compute_minor = facts.compute_minor;
  device.multiprocessors = facts.multiprocessors;
  device.clock_hz = facts.clock_hz;
  device.memory_bytes = facts.memory_bytes;
  device.memory_bytes_per_s = facts.memory_bytes_per_s;
  rows.push_back(device);
  const GpuDeviceId id{static_cast<uint32_t>(rows.size())};
  if (!facts.uuid.empty()) devices_[facts.uuid] = id;
  return id;
}

GpuContextId GpuPlaces::Context(ProcessId process, uint32_t number) {
  const auto found = contexts_.find(Pair(process.value, number));
  if (found != contexts_.end()) return found->second;
  auto& rows = profile_.gpu.contexts;
  if (rows.size() >= kMaxRows) return NoRow<GpuContextId>();
  rows.push_back({process, {}, number});
  return contexts_[Pair(process.value, number)] = GpuContextId{static_cast<uint32_t>(rows.size())};
}

GpuStreamId GpuPlaces::Stream(GpuContextId context, uint32_t number) {
  if (!context) return {};
  const auto found = streams_.find(Pair(context.value, number));
  if (found != streams_.end()) return found->second;
  auto& rows = profile_.gpu.streams;
  if (rows.size() >= kMaxRows) return NoRow<GpuStreamId>();
  rows.push_back({context, number, 0});
  return streams_[Pair(context.value, number)] = GpuStreamId{static_cast<uint32_t>(rows.size())};
}

GpuConfigId GpuPlaces::Config(const GpuKernelConfig& config) {
  const auto found = configs_.find(config);
  if (found != configs_.end()) return found->second;
  auto& rows = profile_.gpu.configs;
  if (rows.size() >= kMaxConfigs) return NoRow<GpuConfigId>();
  rows.push_back(config);
  return configs_[config] = GpuConfigId{static_cast<uint32_t>(rows.size())};
}

void GpuPlaces::SetDevice(GpuContextId context, GpuDeviceId device) {
  if (context && device) profile_.gpu.contexts[context.index()].device = device;
}

void ProcessPlaces::AddDevice(uint32_t number, const GpuDeviceFacts& facts) {
  if (devices_.size() >= GpuPlaces::kMaxDevices) return;
  Known known;
  known.row = places_.Device(facts);
  known.resident_warps = uint64_t{facts.multiprocessors} * facts.warps_per_multiprocessor;
  if (facts.threads_per_warp != 0) known.warp_threads = facts.threads_per_warp;
  devices_[number] = known;
}

void ProcessPlaces::AddContext(uint32_t number, uint32_t device) {
  if (devices_.contains(device)) places_.SetDevice(Context(number), Device(device));
}

GpuDeviceId ProcessPlaces::Device(uint32_t number) const {
  const auto found = devices_.find(number);
  return found == devices_.end() ? GpuDeviceId{} : found->second.row;
}

GpuContextId ProcessPlaces::Context(uint32_t number) { return places_.Context(process_, number); }

GpuStreamId ProcessPlaces::Stream(uint32_t context, uint32_t device, uint32_t number) {
  const GpuContextId row = Context(context);
  places_.SetDevice(row, Device(device));
  return places_.Stream(row, number);
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

}  // namespace gprofx
