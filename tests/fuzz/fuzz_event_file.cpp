// Files of events of any format on any bytes, and the analysis of what is found in them.
#include "core/variability/analysis.h"
#include "formats/variability/files.h"
#include "tests/fuzz/bytes_as_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofx;
  const BytesAsFile file(data, size);
  variability::Analysis analysis;
  analysis.files = {EntryOf(file.path())};
  analysis.open = OpenEventFile;
  variability::Ranks alone;
  const auto model = variability::Analyze(analysis, alone);
  if (!model || !*model) abort();
  uint64_t kernels = (*model)->outside;
  for (const variability::ShardRow& shard : (*model)->shards) kernels += shard.kernels;
  if (!(*model)->lanes.empty() && !(*model)->partial && kernels != (*model)->kernels) abort();
  return 0;
}
