// Finishes a recording: symbolizes addresses, resolves the profile and writes it for the last time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/model/profile.h"
#include "core/model/resolve.h"
#include "core/redact/mask_arguments.h"
#include "formats/profile/profile_db.h"
#include "samplers/recorder/file_readers.h"
#include "samplers/recorder/gpu/gpu_finish.h"
#include "samplers/recorder/problems.h"
#include "samplers/recorder/timers.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

// Returns one request per module of `raw`, in order, with the addresses of its native frames.
// Modules in `named` (by id) already have names and get no addresses.
std::vector<SymbolRequest> RequestsFor(const Profile& raw,
                                       const std::unordered_map<uint32_t, ModuleNames>& named);

// Returns the self time (`metric`) of native frames that have no name in `names`. `names` is as for
// Resolve.
int64_t UnnamedTime(const Profile& raw, const std::vector<ModuleNames>& names, MetricId metric);

struct FinishInput {
  // Names of JIT-compiled code, by module; not null.
  const std::unordered_map<uint32_t, ModuleNames>* jit_names = nullptr;
  SymbolizeOptions symbolize;
  FileReaders readers;                       // whose rights are used to open the modules' files
  MetricId time;                             // metric of the sampled clock
  Arguments arguments = Arguments::kMasked;  // kLeftOut: no sources are stored either
  // For each ProcessId::index(): the process has our rights and sees our files. The sources that it
  // names may then be stored (file_readers.h).
  std::vector<bool> readable;
  // The same for sources of GPU code. It is not known which process named such a source, so all
  // processes must have our rights and see our files.
  bool may_read_gpu_sources = false;
  const PcTable* pc = nullptr;  // null: no GPU was used
  ReadModule read;              // reads the code of GPU modules
};

// Symbolizes, resolves and finishes the file; measures the time of each pass. Adds a line to
// `problems` for each module that could not be read.
Status FinishProfile(ProfileWriter& writer, Profile& raw, const FinishInput& input,
                     Problems& problems, PassTimers& timers);

}  // namespace gprofx::recorder
