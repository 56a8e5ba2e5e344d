#include "cli/counters.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cli/report/number.h"
#include "core/base/arithmetic.h"
#include "core/kernels/kernel_counters.h"
#include "formats/database/counter_table.h"
#include "formats/profile/profile_appender.h"
#include "formats/profile/profile_reader.h"
#include "formats/reading/analysis_read.h"
#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

double ShareOf(const GpuWorkEvents& work, const std::vector<KernelCounters>& counters) {
  std::set<GpuConfigId> measured;
  for (const KernelCounters& row : counters) measured.insert(row.config);
  int64_t part = 0, all = 0;
  for (size_t i = 0; i < work.configs.size(); ++i) {
    const PhaseOperation& operation = work.operations[i];
    const int64_t ns = std::max<int64_t>(SubtractSaturated(operation.end, operation.start), 0);
    all = AddSaturated(all, ns);
    if (measured.contains(work.configs[i])) part = AddSaturated(part, ns);
  }
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

}  // namespace

Result<StoredCounters> StoreCounters(const std::string& table, const std::string& profile) {
  auto launches = ReadMeasuredLaunches(table);
  if (!launches) return launches.error();
  for (MeasuredLaunch& launch : *launches) launch.kernel = Demangle(launch.kernel);
  JoinedCounters joined;
  StoredCounters stored;
  {  // ends the lifetime of the reader, which closes the file before it is written
    const Result<ProfileReader> reader = ProfileReader::Open(profile);
    if (!reader) return reader.error();
    const Result<Profile> loaded = reader->Load();
    if (!loaded) return loaded.error();
    const Result<GpuWorkEvents> work = ReadGpuWork(*reader, *loaded);
    if (!work) return work.error();
    joined = JoinCounters(*loaded, *launches);
    stored = {joined.measured, joined.not_found, static_cast<int64_t>(joined.rows.size()),
              ShareOf(*work, joined.rows)};
  }
  if (joined.rows.empty()) {
    return Error{ErrorId::kMissingColumn,
                 "no kernel launch in '" + table + "' matches one in '" + profile + "'",
                 "measure the command that was recorded, with the same arguments"};
  }
  Result<ProfileAppender> file = ProfileAppender::Open(profile);
  if (!file) return file.error();
  if (Status cleared = file->Clear(kCounterTable); !cleared) return cleared.error();
  if (Status added = file->Append(TableOf(joined.rows)); !added) return added.error();
  if (Status written = file->Commit(); !written) return written.error();
  return stored;
}

std::string CountersLine(const StoredCounters& stored) {
  const auto percent = static_cast<int>(100 * stored.share + 0.5);
  std::string line = Grouped(stored.measured - stored.not_found) + " launches of " +
                     Grouped(stored.configs) + " kernels and launch configurations measured, " +
                     std::to_string(percent) + "% of the kernels' time";
  if (stored.not_found > 0) {
    line += "; " + Grouped(stored.not_found) + " launches are not in the profile";
  }
  return line;
}

}  // namespace gprofx
