// The importers of speedscope's files and of Firefox profiles on any bytes.
#include "formats/importers/json/firefox.h"
#include "formats/importers/json/speedscope.h"
#include "tests/fuzz/bytes_as_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofx;
  using namespace gprofx::importers;
  const BytesAsFile file(data, size);
  uint64_t hash = 0;
  Profile stacks, samples;
  CountingSink sink;
  (void)ImportSpeedscope(file.path(), stacks, hash);
  (void)ImportFirefox(file.path(), samples, sink, hash);
  return 0;
}
