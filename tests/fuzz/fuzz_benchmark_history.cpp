// Any bytes as the data of github-action-benchmark, and as a result of asv: names and times that
// are bounded, or one line.
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "cli/ci/benchmark_history/readers.h"
#include "tests/fuzz/bytes_as_file.h"

namespace {

// A results folder of asv in which only the result of one commit is missing.
class AsvFolder {
 public:
  AsvFolder() {
    if (mkdtemp(path_) == nullptr) abort();
    mkdir((path() + "/m").c_str(), 0700);
    std::ofstream(path() + "/m/machine.json") << "{\"machine\": \"m\", \"version\": 1}";
    std::ofstream(path() + "/benchmarks.json")
        << "{\"version\": 2, \"b\": {\"unit\": \"seconds\"}, \"p\": {\"unit\": \"ms\"}, "
           "\"rate\": {\"unit\": \"ops/s\"}}";
  }
  ~AsvFolder() {
    for (const char* name : {"/m/a-py3.json", "/m/machine.json", "/benchmarks.json"}) {
      unlink((path() + name).c_str());
    }
    rmdir((path() + "/m").c_str());
    rmdir(path_);
  }
  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/gprof-x-fuzz-XXXXXX";
};

void Check(const gprofx::Result<gprofx::BenchmarkHistory>& history) {
  if (!history) return;
  for (const auto& [name, ns] : history->ns) {
    if (ns.size() != history->versions.size()) abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const AsvFolder folder;
  const BytesAsFile file(data, size);
  Check(gprofx::ReadActionData(file.path(), ""));
  std::ofstream(folder.path() + "/m/a-py3.json", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  Check(gprofx::ReadAsv(folder.path(), "m"));
  return 0;
}
