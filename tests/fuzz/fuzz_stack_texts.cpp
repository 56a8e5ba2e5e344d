// perf script and collapsed stacks on any bytes, cut anywhere: the pieces change nothing.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "formats/importers/collapsed/collapsed.h"
#include "formats/importers/perf/perf_script.h"

namespace {

using namespace gprofx;
using namespace gprofx::importers;

struct Sums {
  size_t nodes = 0;
  int64_t samples = 0, rows = 0;
  bool operator==(const Sums&) const = default;
};

Sums Read(std::span<const char> text, size_t piece, bool is_perf) {
  Profile profile;
  Sums sums;
  PerfScriptReader perf(profile, [&](const SampleRow&) { ++sums.rows; });
  Profile other;
  CollapsedReader collapsed(other);
  for (size_t at = 0; at < text.size(); at += piece) {
    const auto part = text.subspan(at, std::min(piece, text.size() - at));
    if (is_perf)
      perf.Add(part);
    else
      collapsed.Add(part);
  }
  if (is_perf)
    perf.Finish();
  else
    collapsed.Finish();
  sums.nodes = is_perf ? profile.nodes.size() : other.nodes.size();
  sums.samples = is_perf ? perf.samples() : collapsed.stacks();
  return sums;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::span text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const bool is_perf : {false, true}) {
    if (Read(text, text.size(), is_perf) != Read(text, 1 + data[0] % 64, is_perf)) abort();
  }
  return 0;
}
