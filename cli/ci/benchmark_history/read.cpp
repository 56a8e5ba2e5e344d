#include <sys/stat.h>
#include <unistd.h>

#include "cli/ci/benchmark_history/readers.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr char kActionData[] = "/data.js";

Result<std::optional<BenchmarkHistory>> Some(Result<BenchmarkHistory> history) {
  if (!history) return history.error();
  return std::optional(std::move(*history));
}

}  // namespace

Result<std::optional<BenchmarkHistory>> ReadBenchmarkHistory(const std::string& path,
                                                             const std::string& name) {
  struct stat is {};
  if (stat(path.c_str(), &is) == 0 && !S_ISDIR(is.st_mode)) {
    return Some(ReadActionData(path, name));
  }
  if (const std::optional<AsvResults> asv = AsvResultsAt(path)) {
    return Some(ReadAsv(asv->folder, name.empty() ? asv->machine : name));
  }
  if (access((path + kActionData).c_str(), F_OK) == 0) {
    return Some(ReadActionData(path + kActionData, name));
  }
  Result<BenchmarkHistory> verdicts = ReadVerdicts(path);
  if (!verdicts) return verdicts.error();
  if (verdicts->versions.empty()) return std::optional<BenchmarkHistory>();
  return Some(std::move(verdicts));
}

}  // namespace gprofx
