#include "samplers/collector/processes/process_totals.h"

namespace gprofx {

void ProcessTotals::Add(ProcessDrain& drain) {
  agent.Add(drain.region().header());
  if (const wire::GpuHeader* header = drain.region().Gpu()) gpu.Add(*header);
  gpu_entries += drain.gpu_entries();
  marker_records += drain.marker_records();
  accounted_ns += drain.accounted_ns();
  sampled_ns += drain.sampled_ns();
  bad_records += drain.ingest().bad_records() + drain.overwritten();
  ingest_ns += drain.ingest_ns();
}

}  // namespace gprofx
