// The end of a recording: names for the addresses, the resolved profile, the last write.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/record/gpu_finish.h"
#include "core/profile.h"
#include "core/resolve.h"
#include "formats/profile_db.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// One request per module of `raw`, in order, with the addresses of its native frames. Modules in
// `named` (by id) have their names already and are not asked for.
std::vector<SymbolRequest> RequestsFor(const Profile& raw,
                                       const std::unordered_map<uint32_t, ModuleNames>& named);

// Self time of `metric` on native frames for which `names` (as for Resolve) has no name.
int64_t UnnamedTime(const Profile& raw, const std::vector<ModuleNames>& names, MetricId metric);

struct GpuFinish {
  const PcTable& pc;
  ReadModule read;
};

// Symbolizes, resolves and finishes the file. `problems` gets a line for each module that could not
// be read. `gpu` null: there are no PC samples.
Status FinishProfile(ProfileWriter& writer, Profile& raw,
                     const std::unordered_map<uint32_t, ModuleNames>& jit_names,
                     const SymbolizeOptions& options, MetricId time, const GpuFinish* gpu,
                     std::vector<std::string>& problems);

}  // namespace gprofx
