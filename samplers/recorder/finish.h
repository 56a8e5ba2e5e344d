// Finishes a recording: symbolizes addresses, resolves the profile and writes the file for the last
// time.
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

// Returns one request per module of `raw`, in the order of the modules, with the addresses of its
// native frames. The modules in `named` (by id) already have names, and their requests contain no
// addresses.
std::vector<SymbolRequest> RequestsFor(const Profile& raw,
                                       const std::unordered_map<uint32_t, ModuleNames>& named);

// Returns the self time (`metric`) of the native frames that have no name in `names`, which is as
// for Resolve.
int64_t UnnamedTime(const Profile& raw, const std::vector<ModuleNames>& names, MetricId metric);

struct FinishInput {
  // Names of JIT-compiled code, by module; not null.
  const std::unordered_map<uint32_t, ModuleNames>* jit_names = nullptr;
  SymbolizeOptions symbolize;
  FileReaders readers;                       // whose rights are used to open the modules' files
  MetricId time;                             // metric of the sampled clock
  Arguments arguments = Arguments::kMasked;  // kLeftOut: no sources are stored either
  // For each ProcessId::index(): true if the process has our rights and sees our files
  // (file_readers.h). The sources that it names may then be stored.
  std::vector<bool> readable;
  // True if sources of GPU code may be stored. It is not known which process named such a source,
  // so all processes must have our rights and see our files.
  bool may_read_gpu_sources = false;
  const PcTable* pc = nullptr;  // null: no GPU was used
  ReadModule read;              // reads the code of GPU modules
};

// Symbolizes, resolves and finishes the file. Measures the time of each pass. Adds a line to
// `problems` for each module that could not be read.
Status FinishProfile(ProfileWriter& writer, Profile& raw, const FinishInput& input,
                     Problems& problems, PassTimers& timers);

}  // namespace gprofx::recorder
