// The importer of Chrome traces on any bytes, packed or not, and the profile that it makes: what
// GPUs did is in the tree to the nanosecond.
#include "formats/importers/chrome_trace.h"
#include "tests/fuzz/bytes_as_file.h"

namespace {

using namespace gprofx;
using namespace gprofx::importers;

void Check(const Profile& profile, int64_t kernels_ns) {
  const MetricId metric = profile.FindMetric(kMetricGpu);
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == metric && __builtin_add_overflow(sum, value.self, &sum)) return;
  }
  if (metric && sum != kernels_ns) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const BytesAsFile file(data, size);
  auto source = ByteSource::Open(file.path());
  if (!source) return 0;
  Profile profile;
  TraceGather gather(profile);
  if (!ReadChromeTrace(*source, file.path(), gather)) return 0;
  int64_t ns = 0;
  const auto sink = [&](const EventTable& rows) {
    const Stream stream = rows.stream();
    const bool is_work =
        stream == Stream::kKernels || stream == Stream::kCopies || stream == Stream::kSets;
    if (is_work) {
      for (const int64_t duration : rows.column(1)) {
        if (__builtin_add_overflow(ns, duration, &ns)) ns = INT64_MAX;
      }
    }
    return Ok();
  };
  if (gather.Finish(sink)) Check(profile, ns);
  return 0;
}
