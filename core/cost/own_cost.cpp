#include "core/cost/own_cost.h"

#include <algorithm>
#include <cmath>

namespace gprofx {
namespace {

constexpr double kSigmas = 1.96;  // half the width of a 95 % interval, in standard errors
// Factors on the timed cost of samples and launches: afterwards the program's caches are colder,
// which cannot be timed. Derived from programs that were measured from outside on H100 and H200.
// The factor for launches lies between 1 and 3.
constexpr Estimate kAfterSamples{1.15, 0.15}, kAfterLaunches{1.8, 0.6};
// kAfterThreads is such a factor for gprof-x's work at the begin and end of threads. kLoadNs is the
// further cost of a program that loads a gprof-x library: the dynamic loader, the kernel at the
// program's exit, the check before exec. Both were measured from outside on a virtual machine with
// two cores.
constexpr Estimate kAfterThreads{1.3, 0.3}, kLoadNs{140'000, 50'000};
// CUPTI's cost per launch in ns if launches were not timed: of its callback (kToldNs), and of its
// record (kRecordedNs).
constexpr Estimate kToldNs{1'500, 600}, kRecordedNs{4'500, 1'200};
// Relative error of the time that callbacks take themselves: only some of them report a stack.
constexpr double kOwnError = 0.2;
constexpr double kMinBatches = 6;
// Cost of the interrupt before a sample handler. kInterruptError: relative error if it was
// measured. kInterruptNs: cost per sample if it was not measured.
constexpr double kInterruptError = 0.2;
constexpr Estimate kInterruptNs{15'000,
                                8'000};  // 5 us on an H200's host, 35 us on a small virtual machine

class Counters {
 public:
  explicit Counters(const std::map<std::string, int64_t>& quality) : quality_(quality) {}
  double operator()(const std::string& name) const {
    const auto found = quality_.find(name);
    return found == quality_.end() ? 0 : static_cast<double>(std::max<int64_t>(found->second, 0));
  }
  // Returns the mean time of a launch of this kind. `error` is negative if too few launches were
  // timed.
  Estimate Timed(const std::string& kind) const {
    const double batches = (*this)("gpu_" + kind + "_batches");
    if (batches < kMinBatches) return {0, -1};
    const double mean = (*this)("gpu_" + kind + "_ns") / batches;
    const double variance = (*this)("gpu_" + kind + "_squares") / batches - mean * mean;
    return {mean, std::sqrt(std::max(0.0, variance) / (batches - 1))};
  }

 private:
  const std::map<std::string, int64_t>& quality_;
};

// Returns how much longer a launch takes than an unobserved one, `bare`; `otherwise` if one of them
// was not timed. The result does not include the error of `bare`, because all differences share it
// (CostParts::bare_error_ns).
Estimate Difference(const Estimate& timed, const Estimate& bare, const Estimate& otherwise) {
  if (timed.error < 0 || bare.error < 0) return otherwise;
  return {std::max(0.0, timed.value - bare.value), timed.error};
}

// Returns a * b with its error. The relative errors of the factors add up as squares.
Estimate Product(const Estimate& a, const Estimate& b) {
  return {a.value * b.value, std::hypot(a.value * b.error, a.error * b.value)};
}

Estimate Sum(const Estimate& a, const Estimate& b) {
  return {a.value + b.value, std::hypot(a.error, b.error)};
}

// Returns the ratio of `part` to the rest of `whole`. The rest counts as at least a quarter
// of `whole`.
Estimate Share(const Estimate& part, double whole) {
  const double rest = std::max(whole - part.value, whole / 4);
  return rest > 0 ? Estimate{part.value / rest, part.error * whole / (rest * rest)} : Estimate{};
}

}  // namespace

CostParts CostPartsOf(const std::map<std::string, int64_t>& quality) {
  const Counters count(quality);
  CostParts parts;
  parts.cpu_ns = count("cpu_measured_ns");
  const double interrupts = count("sample_interrupts_ns"), samples = count("samples");
  const Estimate before = interrupts > 0 ? Estimate{interrupts, kInterruptError * interrupts}
                                         : Product({samples, 0}, kInterruptNs);
  parts.sampling_ns = Sum({count("handler_total_ns") + count("own_cpu_ns"), 0}, before);
  parts.starting_ns = Sum(Product({count("thread_own_ns"), 0}, kAfterThreads),
                          Product({count("programs_loaded"), 0}, kLoadNs));
  parts.launching_ns = count("gpu_launching_cpu_ns");
  const double launches = count("gpu_launches");
  if (launches <= 0) return parts;
  // If the recording level never changed, each launch has a record.
  const bool leveled = count("gpu_level_counted_ns") > 0;
  const double recorded =
      std::min(launches, leveled ? count("gpu_level_traced_launches") : count("gpu_records"));
  const double hooked = std::min(launches - recorded, count("gpu_launches_hooked"));
  const double own_ns = count("gpu_launch_total_ns") / launches;
  const Estimate own{own_ns, kOwnError * own_ns}, bare = count.Timed("bare");
  parts.hooked = {hooked, Difference(count.Timed("hooked"), bare, own)};
  parts.joined = {launches - recorded - hooked,
                  Difference(count.Timed("joined"), bare, Sum(own, kToldNs))};
  parts.recorded = {recorded, Difference(count.Timed("recorded"), bare, Sum(own, kRecordedNs))};
  parts.bare_error_ns = std::max(0.0, bare.error);
  parts.fetch_ns = count("gpu_cupti_fetch_ns");
  return parts;
}

CostParts WhileRecording(const CostParts& parts) {
  CostParts out = parts;
  out.recorded.count += parts.hooked.count + parts.joined.count;
  out.hooked.count = out.joined.count = out.fetch_ns = 0;
  return out;
}

double TimedRecordNs(const std::map<std::string, int64_t>& quality) {
  const Counters count(quality);
  return Difference(count.Timed("recorded"), count.Timed("bare"), {}).value;
}

OwnCost OwnCostOf(const CostParts& parts) {
  const double count = parts.hooked.count + parts.joined.count + parts.recorded.count;
  Estimate launches{0, count * parts.bare_error_ns};
  for (const CostParts::Launches& kind : {parts.hooked, parts.joined, parts.recorded})
    launches = Sum(launches, Product({kind.count, 0}, kind.extra_ns));
  launches = Sum(Product(launches, kAfterLaunches), {parts.fetch_ns, 0});
  const Estimate host = Sum(Product(parts.sampling_ns, kAfterSamples), parts.starting_ns);
  const Estimate added = Sum(Share(host, parts.cpu_ns), Share(launches, parts.launching_ns));
  return {1 + added.value, 1 + std::max(0.0, added.value - kSigmas * added.error),
          1 + added.value + kSigmas * added.error};
}

}  // namespace gprofx
