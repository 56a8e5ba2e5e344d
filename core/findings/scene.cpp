#include <cmath>
#include <cstdio>

#include "core/analyses/work.h"
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
  char text[32];
  const double value = static_cast<double>(ns);
  if (std::llabs(ns) >= 999'500'000) {
    snprintf(text, sizeof text, "%.3g s", value / 1e9);
  } else if (std::llabs(ns) >= 999'500) {
    snprintf(text, sizeof text, "%.3g ms", value / 1e6);
  } else {
    snprintf(text, sizeof text, "%.3g us", value / 1e3);
  }
  return text;
}

std::string PercentText(double share) {
  char text[32];
  snprintf(text, sizeof text, share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
  return text;
}

std::string BytesText(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  snprintf(text, sizeof text, "%.3g %s", bytes, kUnits[unit]);
  return text;
}

std::string CountText(double count) {
  char text[32];
  snprintf(text, sizeof text, count >= 9.95 ? "%.0f" : "%.2g", count);
  return text;
}

}  // namespace gprofx::findings
