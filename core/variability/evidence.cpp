#include "core/variability/evidence.h"

namespace gprofx::variability {

void WriteEvidence(const Evidence& evidence, ByteWriter& out) {
  out.Put(evidence.size());
  for (const ProcessEvidence& process : evidence) {
    out.PutSigned(process.process);
    out.Put(process.steps.size());
    for (const auto& step : process.steps) {
      for (const int64_t value : step) out.PutSigned(value);
    }
  }
}

Evidence ReadEvidence(ByteReader& in) {
  Evidence evidence(in.Count());
  for (ProcessEvidence& process : evidence) {
    process.process = in.Zigzag();
    process.steps.resize(in.Count());
    for (auto& step : process.steps) {
      for (int64_t& value : step) value = in.Zigzag();
    }
  }
  return evidence;
}

}  // namespace gprofx::variability
