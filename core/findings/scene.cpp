#include <cmath>

#include "core/analyses/work.h"
#include "core/base/format.h"
#include "core/base/in_background.h"
#include "core/findings/detectors.h"

namespace gprofx::findings {
Scene::Scene(const analyses::AnalysisContext& of, const FindingEvents& with)
    : profile(of.profile),
      context(of),
      events(with),
      line(MakeTimeLine(of, with)),
      traits(FindTraits(of.profile)),
      reading(InBackground([this] { return FindHostCode(profile, line, traits, events); })),
      replay(of.profile, line),
      host(reading.get()) {
  for (const LineOp& op : line.ops) {
    const FrameId frame = profile.node(op.node).frame;
    const auto [found, is_new] = kernels.try_emplace(frame.value);
    if (!is_new) continue;
    const FunctionId function = profile.frame(frame).function;
    if (function) found->second.full = profile.Text(profile.function(function).name);
    found->second.what = WhatKernelDoes(found->second.full);
  }
}

std::string Scene::PerStepText(int64_t count, const char* what) const {
  const auto number = static_cast<double>(count);
  if (line.steps == 0) return CountText(number) + " " + what;
  return CountText(number / static_cast<double>(line.steps)) + " " + what + " a step";
}

std::string Scene::PerStepTime(int64_t ns) const {
  return line.steps == 0 ? TimeText(ns) + " in all" : TimeText(ns / line.steps) + " a step";
}

std::string Scene::DeviceName() const {
  return profile.gpu.devices.empty() ? "" : std::string(profile.Text(profile.gpu.devices[0].name));
}

int64_t Scene::DeviceBandwidth() const {
  if (profile.gpu.devices.empty()) return 0;
  if (const auto peaks = analyses::PeaksOf(DeviceName(), "f32")) {
    return static_cast<int64_t>(peaks->bytes_per_s);
  }
  return profile.gpu.devices[0].memory_bytes_per_s;
}

std::string TimeText(int64_t ns) {
  const double value = static_cast<double>(ns);
  if (std::llabs(ns) >= 999'500'000) return Format("%.3g s", value / 1e9);
  if (std::llabs(ns) >= 999'500) return Format("%.3g ms", value / 1e6);
  return Format("%.3g us", value / 1e3);
}

std::string PercentText(double share) {
  return Format(share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
}

std::string BytesText(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  return Format("%.3g %s", bytes, kUnits[unit]);
}

std::string CountText(double count) { return Format(count >= 9.95 ? "%.0f" : "%.2g", count); }

}  // namespace gprofx::findings
