// Finds devices by name. Tools spell a name differently: NVIDIA H100 80GB HBM3, h100_sxm, H100-SXM.
#include <algorithm>
#include <numeric>

#include "core/forecast/device/device.h"

namespace gprofx::forecast {
namespace {

// Reduces a name to its lowercase letters and digits, without words such as the vendor's name.
std::string Plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  for (const std::string_view word : {"nvidia", "tesla", "amd", "instinct"}) {
    if (out.starts_with(word) && out.size() > word.size()) out.erase(0, word.size());
  }
  return out;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Returns the smallest edit distance between `wanted` and a name of the device. If one of the two
// names begins with the other, the distance is small.
size_t Distance(const std::string& wanted, const Device& device) {
  size_t nearest = SIZE_MAX;
  const auto look = [&](const std::string& name) {
    const std::string plain = Plain(name);
    size_t distance = 4 * EditDistance(wanted, plain);
    if (plain.starts_with(wanted) || wanted.starts_with(plain)) distance = 2;
    nearest = std::min(nearest, distance);
  };
  look(device.name);
  for (const std::string& alias : device.aliases) look(alias);
  return nearest;
}

}  // namespace

Result<const Device*> FindDevice(const std::vector<Device>& devices, std::string_view name) {
  const std::string wanted = Plain(name.substr(0, 100));
  for (auto device = devices.rbegin(); device != devices.rend(); ++device) {
    const auto& aliases = device->aliases;
    if (Plain(device->name) == wanted ||
        std::any_of(aliases.begin(), aliases.end(),
                    [&](const std::string& alias) { return Plain(alias) == wanted; })) {
      return &*device;
    }
  }
  std::vector<std::pair<size_t, const Device*>> near;
  for (const Device& device : devices) near.emplace_back(Distance(wanted, device), &device);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string names;
  for (size_t i = 0; i < near.size() && i < 3; ++i) {
    names += (i > 0 ? ", " : "") + near[i].second->name;
  }
  return Error{ErrorId::kUnknownGpu, "unknown device '" + std::string(name.substr(0, 60)) + "'",
               "similar names are " + names + "; --devices lists all, --device FILE adds one"};
}

}  // namespace gprofx::forecast
