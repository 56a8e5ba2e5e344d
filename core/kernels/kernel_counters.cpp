#include "core/kernels/kernel_counters.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/kernels/kernel_names.h"

namespace gprofx {
namespace {

// Launches are uneven if they differ by more than this fraction of their mean.
constexpr double kUneven = 0.1;
constexpr double kEnough = 0.99;  // kernels with this share of the time are measured
constexpr size_t kMaxKernels = 64;
constexpr size_t kMinLaunches = 3, kMaxLaunches = 400;

using Shape = std::array<uint32_t, 6>;  // grid, block

Shape ShapeOf(const uint32_t (&grid)[3], const uint32_t (&block)[3]) {
  return {grid[0], grid[1], grid[2], block[0], block[1], block[2]};
}

// Casts in template arguments, which demanglers write differently: "(bool)1" and "true", "(unsigned
// int)4" and "4u".
struct Cast {
  std::string_view text, suffix;
};
constexpr Cast kCasts[] = {{"(int)", ""},        {"(unsignedint)", "u"},
                           {"(long)", "l"},      {"(unsignedlong)", "ul"},
                           {"(longlong)", "ll"}, {"(unsignedlonglong)", "ull"}};

// Returns a spelling of the name that is the same for all demanglers.
std::string Normal(std::string_view name) {
  std::string text;
  for (const char c : BareKernel(name)) {
    if (c != ' ') text += c;
  }
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("(bool)")) {
      const bool yes = rest.substr(6).starts_with('1');
      const bool digit = yes || rest.substr(6).starts_with('0');
      out += digit ? yes ? "true" : "false" : "";
      i += digit ? 7 : 6;
      continue;
    }
    if (rest.starts_with("<unnamed>")) {
      out += "(anonymousnamespace)";
      i += 9;
      continue;
    }
    const auto* cast = std::find_if(std::begin(kCasts), std::end(kCasts),
                                    [&](const Cast& one) { return rest.starts_with(one.text); });
    if (cast == std::end(kCasts)) {
      out += text[i++];
      continue;
    }
    i += cast->text.size();
    while (i < text.size() && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))) {
      out += text[i++];
    }
    out += cast->suffix;
  }
  return out;
}

using Key = std::pair<std::string, Shape>;

struct Sums {  // over the launches with the same name, grid and block
  int64_t count = 0;
  double bytes = 0, least = 0, most = 0, least_bytes = 0, most_bytes = 0;
  bool has_bytes = true, has_flop = true;
  std::array<double, kFlopUnits> flop = {};

  void Add(const MeasuredLaunch& launch) {
    has_bytes = has_bytes && launch.bytes.has_value();
    has_flop = has_flop && launch.flop.has_value();
    double all = 0;
    for (size_t i = 0; launch.flop && i < kFlopUnits; ++i) {
      flop[i] += (*launch.flop)[i];
      all += (*launch.flop)[i];
    }
    const double moved = launch.bytes.value_or(0);
    bytes += moved;
    least = count == 0 ? all : std::min(least, all);
    most = std::max(most, all);
    least_bytes = count == 0 ? moved : std::min(least_bytes, moved);
    most_bytes = std::max(most_bytes, moved);
    ++count;
  }

  KernelCounters Mean(GpuConfigId config) const {
    KernelCounters out{config, count, has_bytes, has_flop, false, 0, {}};
    const auto n = static_cast<double>(count);
    double all = 0;
    for (size_t i = 0; has_flop && i < kFlopUnits; ++i) {
      out.flop[i] = flop[i] / n;
      all += out.flop[i];
    }
    if (has_bytes) out.bytes = bytes / n;
    // Compares FLOP, and bytes only if there are no FLOP: launches of equal work differ in bytes,
    // because the cache holds different data when they end.
    out.is_uneven = most - least > kUneven * all ||
                    (all == 0 && most_bytes - least_bytes > kUneven * out.bytes);
    return out;
  }
};

std::string_view NameOf(const Profile& profile, const GpuKernelConfig& config) {
  return config.function ? profile.Text(profile.function(config.function).name)
                         : std::string_view();
}

struct Measured {
  std::map<Key, Sums> by_name;
  // By base name: full names, as Normal() returns them.
  std::map<Key, std::set<std::string>> by_base;
};

}  // namespace

JoinedCounters JoinCounters(const Profile& profile, const std::vector<MeasuredLaunch>& launches) {
  Measured measured;
  // By full name: the result of Normal(), and the base name.
  std::map<std::string, std::pair<std::string, std::string>> known;
  const auto names = [&](std::string_view name) -> const auto& {
    const auto [row, is_new] = known.try_emplace(std::string(name));
    if (is_new) row->second = {Normal(name), std::string(KernelBaseName(name))};
    return row->second;
  };
  JoinedCounters out;
  out.measured = static_cast<int64_t>(launches.size());
  for (const MeasuredLaunch& launch : launches) {
    const auto& [normal, base] = names(launch.kernel);
    const Shape shape = ShapeOf(launch.grid, launch.block);
    measured.by_name[{normal, shape}].Add(launch);
    measured.by_base[{base, shape}].insert(normal);
  }
  std::map<Key, std::set<std::string>> recorded;  // by base name
  const std::vector<GpuKernelConfig>& configs = profile.gpu.configs;
  for (const GpuKernelConfig& config : configs) {
    const auto& [normal, base] = names(NameOf(profile, config));
    recorded[{base, ShapeOf(config.grid, config.block)}].insert(normal);
  }
  std::set<Key> found;
  for (size_t i = 0; i < configs.size(); ++i) {
    const auto& [normal, base] = names(NameOf(profile, configs[i]));
    const Shape shape = ShapeOf(configs[i].grid, configs[i].block);
    auto row = measured.by_name.find({normal, shape});
    if (row == measured.by_name.end() && recorded[{base, shape}].size() == 1) {
      const auto alone = measured.by_base.find({base, shape});
      if (alone != measured.by_base.end() && alone->second.size() == 1) {
        row = measured.by_name.find({*alone->second.begin(), shape});
      }
    }
    if (row == measured.by_name.end()) continue;
    found.insert(row->first);
    out.rows.push_back(row->second.Mean(GpuConfigId{static_cast<uint32_t>(i + 1)}));
  }
  for (const auto& [key, sums] : measured.by_name) {
    if (!found.contains(key)) out.not_found += sums.count;
  }
  return out;
}

LaunchesToMeasure ChooseLaunches(const Profile& profile, const GpuWorkEvents& events) {
  const std::vector<GpuKernelConfig>& configs = profile.gpu.configs;
  struct Kernel {  // kernels with the same name, grid and block
    int64_t ns = 0;
    // Position of its first launch among the counted launches with the same grid and block, from 1;
    // 0 = none.
    size_t first = 0;
  };
  std::map<std::pair<std::string, Shape>, Kernel> kernels;
  std::vector<std::pair<std::string, Shape>> keys(configs.size());
  for (size_t i = 0; i < configs.size(); ++i) {
    keys[i] = {std::string(NameOf(profile, configs[i])),
               ShapeOf(configs[i].grid, configs[i].block)};
  }
  LaunchesToMeasure out;
  int64_t all = 0;
  std::vector<uint32_t> order;  // positions of kernels in `events`, in the order of their launches
  for (uint32_t i = 0; i < events.configs.size(); ++i) {
    const GpuConfigId config = events.configs[i];
    if (!config || config.index() >= configs.size()) continue;
    const PhaseOperation& operation = events.operations[i];
    const int64_t ns = std::max<int64_t>(SubtractSaturated(operation.end, operation.start), 0);
    int64_t& sum = kernels[keys[config.index()]].ns;
    sum = AddSaturated(sum, ns);
    all = AddSaturated(all, ns);
    order.push_back(i);
  }
  const auto time = [&](uint32_t i) {
    const PhaseOperation& operation = events.operations[i];
    return operation.launch != 0 ? operation.launch : operation.start;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return time(a) < time(b); });
  std::vector<std::pair<const std::pair<std::string, Shape>*, const Kernel*>> largest;
  for (const auto& [key, kernel] : kernels) largest.push_back({&key, &kernel});
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& a, const auto& b) { return a.second->ns > b.second->ns; });
  std::set<std::string> names;
  std::set<std::pair<std::string, Shape>> wanted;
  int64_t chosen = 0;
  for (const auto& [key, kernel] : largest) {
    if (all <= 0 || static_cast<double>(chosen) >= kEnough * static_cast<double>(all)) break;
    const std::string base(KernelBaseName(key->first));
    if (base.empty() || (!names.contains(base) && names.size() == kMaxKernels)) continue;
    names.insert(base);
    wanted.insert(*key);
    chosen = AddSaturated(chosen, kernel->ns);
  }
  out.kernels.assign(names.begin(), names.end());
  out.share = all > 0 ? static_cast<double>(chosen) / static_cast<double>(all) : 0;
  std::map<Shape, size_t> launches;
  // For each configuration: 1 = the base name of its kernel was chosen, 0 = it was not, -1 = not
  // yet known.
  std::vector<int> counts(configs.size(), -1);
  for (const uint32_t i : order) {
    const size_t config = events.configs[i].index();
    if (counts[config] < 0) {
      counts[config] = names.contains(std::string(KernelBaseName(keys[config].first)));
    }
    if (counts[config] == 0) continue;
    const size_t number = ++launches[keys[config].second];
    Kernel& kernel = kernels[keys[config]];
    if (kernel.first != 0) continue;
    kernel.first = number;
    if (wanted.contains(keys[config])) out.of_each = std::max(out.of_each, number);
  }
  if (!out.kernels.empty()) {
    out.of_each = std::clamp(out.of_each, kMinLaunches, kMaxLaunches);
  }
  return out;
}

}  // namespace gprofx
