#include "core/model/gpu_numbers.h"

#include <algorithm>
#include <charconv>

namespace gprofx {
namespace {

// Returns the numbers that an imported trace gives to the GPUs, by row of gpu_device. Empty if
// there are none or if they cannot be parsed.
std::vector<uint32_t> ImportedNumbers(const Profile& profile) {
  std::vector<uint32_t> numbers;
  const auto found = profile.meta.find("gpu_numbers");
  if (found == profile.meta.end()) return numbers;
  const char* const end = found->second.data() + found->second.size();
  for (const char* at = found->second.data(); at < end; ++at) {
    const auto [next, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc()) return {};
    at = next;
  }
  return numbers;
}

}  // namespace

std::vector<uint32_t> GpuNumbers(const Profile& profile) {
  const std::vector<GpuDevice>& devices = profile.gpu.devices;
  std::vector<uint32_t> numbers = ImportedNumbers(profile);
  if (numbers.size() == devices.size()) return numbers;
  std::vector<uint32_t> order(devices.size());
  numbers.assign(devices.size(), 0);
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return profile.Text(devices[a].pci_bus) < profile.Text(devices[b].pci_bus);
  });
  for (uint32_t i = 0; i < order.size(); ++i) numbers[order[i]] = i;
  return numbers;
}

}  // namespace gprofx
