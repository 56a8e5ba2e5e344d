#include "cli/report/quality_text.h"

#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

constexpr size_t kMaxNamed = 3;
constexpr int kLongestName = 40;
constexpr int64_t kMinShare = 20;  // a module with less than 1/20 of the samples is not named

std::string PercentOf(int64_t part, int64_t whole) {
  return Percent(static_cast<double>(part), static_cast<double>(whole));
}

// Returns the modules that cause a flaw: ": no callers in libfoo.so, libbar.so". Returns "" if no
// module causes a relevant part of it.
std::string CulpritText(const std::vector<Culprit>& culprits) {
  int64_t all = 0;
  for (const Culprit& culprit : culprits) all = AddSaturated(all, culprit.samples);
  std::string text;
  for (size_t i = 0; i < culprits.size() && i < kMaxNamed; ++i) {
    if (culprits[i].samples < all / kMinShare) break;
    text +=
        (i == 0 ? ": no callers in " : ", ") + FitEnd(Printable(culprits[i].module), kLongestName);
  }
  return text;
}

std::string FlawText(Flaw flaw, const DataQuality& q, const GpuQuality& gpu) {
  switch (flaw) {
    case Flaw::kUnfinished:
      return "the recording did not end normally";
    case Flaw::kNothingSampled:
      return "no process could be sampled" +
             (q.not_sampled_text.empty() ? "" : ": " + std::string(q.not_sampled_text));
    case Flaw::kNoThreadClocks:
      return "the threads' own clocks were not recorded";
    case Flaw::kLost:
      return "lost " + PercentOf(q.lost, q.measured);
    case Flaw::kUnexplained:
      return "unexplained " + PercentOf(q.unexplained(), q.measured);
    case Flaw::kTooMuch:
      return "accounted and lost are " +
             Percent(-static_cast<double>(q.unexplained()), static_cast<double>(q.measured)) +
             " more than was measured";
    case Flaw::kNotSampled:
      return "not sampled: processes with " +
             PercentOf(q.unsampled, AddSaturated(q.measured, q.unsampled)) + " of the CPU time";
    case Flaw::kUnseen:
      return "not sampled: " + Printable(q.why_unseen) + ", " + PercentOf(q.unseen, q.measured);
    case Flaw::kTruncated:
      return "truncated stacks " + PercentOf(q.truncated, q.samples) + CulpritText(q.culprits);
    case Flaw::kPythonMissing:
      return "Python frames missing in " + PercentOf(q.python_broken, q.samples);
    case Flaw::kLowRate:
      return "sampling reached " + Percent(q.rate_reached_hz, q.rate_asked_hz) +
             " of the requested rate";
    case Flaw::kPcDropped:
      return "PC samples dropped " +
             Percent(static_cast<double>(gpu.pc_dropped),
                     static_cast<double>(gpu.pc_dropped) + static_cast<double>(gpu.pc_received));
    case Flaw::kPcBufferFull:
      return "GPU sampling buffer full " + Grouped(gpu.pc_buffer_full) + " times" +
             (gpu.pc_gap_ns > 0 ? ", " + Duration(gpu.pc_gap_ns) + " not sampled" : "");
    case Flaw::kLaunchesLost:
      return "GPU launches lost " + Grouped(gpu.launches_lost);
    case Flaw::kRecordsDropped:
      return "GPU records dropped " + Grouped(gpu.work_records_dropped());
    case Flaw::kGpuStreamFull:
      return "GPU data lost: " + Grouped(gpu.stream_full) + " records";
  }
  return "";
}

}  // namespace

std::vector<std::string> FlawTexts(const DataQuality& quality, const GpuQuality& gpu) {
  std::vector<std::string> texts;
  for (const Flaw flaw : quality.flaws) texts.push_back(FlawText(flaw, quality, gpu));
  return texts;
}

const char* WhyNoOwnCost(OwnCostState state) {
  return state == OwnCostState::kBounded ? "it is not known within a factor of two"
                                         : "the recording does not contain it";
}

}  // namespace gprofx
