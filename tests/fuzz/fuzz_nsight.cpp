// The importer of Nsight Systems exports on any bytes.
#include "formats/importers/nsight/nsight.h"
#include "tests/fuzz/bytes_as_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofx;
  using namespace gprofx::importers;
  const BytesAsFile file(data, size);
  Profile profile;
  TraceGather gather(profile);
  if (!ReadNsight(file.path(), gather)) return 0;
  (void)gather.Finish([](const EventTable&) { return Ok(); });
  for (const auto& [name, value] : profile.meta) {
    if (name == "DeviceEnvironment") abort();
  }
  return 0;
}
