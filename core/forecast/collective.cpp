#include "core/forecast/collective.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"

namespace gprofx::forecast {
namespace {

constexpr double kLinkShare = 0.75;  // fraction of a link's bandwidth that a ring reaches
constexpr double kStepUs = 3;        // microseconds per hop, used if there are no measurements

// Returns how many bytes each GPU sends in a ring of `gpus` GPUs, as a multiple of the size of its
// buffer.
double RingFactor(std::string_view operation, double gpus) {
  const double part = (gpus - 1) / gpus;
  return operation == "all_reduce" ? 2 * part : part;
}

double CurveUs(const CollectiveCurve& curve, double bytes) {
  const double at = std::log2(std::max(bytes, 1.0)) - curve.first_log2;
  const size_t last = curve.us.size() - 1;
  if (at <= 0 || last == 0) return curve.us.front();
  if (at >= static_cast<double>(last)) {
    // Beyond the last point, time grows nearly in proportion to the bytes.
    return curve.us[last] * std::exp2(at - static_cast<double>(last));
  }
  const size_t below = static_cast<size_t>(at);
  const double part = at - static_cast<double>(below);
  return std::exp((1 - part) * std::log(curve.us[below]) + part * std::log(curve.us[below + 1]));
}

// Returns the curve of `operation` that was measured with the most similar link bandwidth and
// number of GPUs; null if there is none. Sets `link` to the link bandwidth of that curve's device.
const CollectiveCurve* NearestCurve(const ForecastTable& table, const Device& device,
                                    std::string_view operation, int gpus, double& link) {
  const CollectiveCurve* best = nullptr;
  double nearest = INFINITY;
  for (const CollectiveCurve& curve : table.collectives) {
    if (curve.operation != operation) continue;
    const Result<const Device*> source = FindDevice(BuiltInDevices(), curve.device);
    if (!source) continue;
    const double distance = std::abs(std::log(device.link / (*source)->link)) +
                            4 * std::abs(std::log2(static_cast<double>(gpus) / curve.gpus));
    if (distance >= nearest) continue;
    nearest = distance;
    best = &curve;
    link = (*source)->link;
  }
  return best;
}

}  // namespace

CollectiveForecast ForecastCollective(const ForecastTable& table, const Device& device,
                                      std::string_view operation, int gpus, double bytes) {
  CollectiveForecast forecast;
  if (gpus < 2) return forecast;
  Device joined = device;
  if (joined.link <= 0) joined.link = 16;
  double source_link = 0;
  const CollectiveCurve* curve = NearestCurve(table, joined, operation, gpus, source_link);
  const double ring = RingFactor(operation, gpus);
  if (curve == nullptr) {
    forecast.known = operation == "send";
    forecast.ms = kStepUs * 1e-3 +
                  (operation == "send" ? 1 : ring) * bytes / (kLinkShare * joined.link * 1e9) * 1e3;
    return forecast;
  }
  const double most_bytes =
      std::exp2(curve->first_log2 + static_cast<double>(curve->us.size()) - 1);
  forecast.extrapolated = bytes > 2 * most_bytes || gpus > 8;
  // Look up the message size for which each link of the measured ring carries as many bytes as a
  // link does here. The rings then differ only in the number of steps.
  const double same_bytes = bytes * ring / RingFactor(operation, curve->gpus);
  const double us = CurveUs(*curve, same_bytes);
  const double alpha = std::min(us, curve->us.front());
  const double steps = static_cast<double>(gpus - 1) / (curve->gpus - 1);
  const bool same_links = source_link == joined.link && gpus == curve->gpus;
  if (same_links) forecast.spread = 0.3;
  const double faster = source_link / joined.link;
  forecast.ms = (alpha * std::sqrt(steps * faster) + (us - alpha) * faster) * 1e-3;
  return forecast;
}

std::string BeyondNodeNote(const Device& device, double gpus) {
  if (device.node <= 0 || gpus <= device.node) return "";
  return Format(
      "more GPUs than the %.0f of a node: communication is forecast at the speed of its links, "
      "a network between nodes is slower",
      device.node);
}

}  // namespace gprofx::forecast
