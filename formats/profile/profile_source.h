// Defines the interface to the data that a loaded Profile does not contain, such as streams. The
// data comes from one file (ProfileReader) or several (ProfileSet). Ids are those of the matching
// Profile. Blocking; one thread per object.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/events/finding.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"

namespace gprofx {

class ProfileSource {
 public:
  virtual ~ProfileSource() = default;

  // Returns the values of the steady phase, as the recorder computed them; no value if the file has
  // none.
  virtual Result<std::optional<PartValues>> Steady(const Profile& profile) const = 0;

  // Cubins() and Sources() return tables that a loaded Profile leaves out, in the order of their
  // ids.
  virtual Result<std::vector<GpuCubin>> Cubins() const = 0;
  virtual Result<std::vector<SourceText>> Sources() const = 0;

  // Returns the findings that analyses added.
  virtual Result<std::vector<Finding>> Findings() const = 0;

  // Returns the measurements of hardware counters (core/kernels/kernel_counters.h), in the order of
  // the launch configurations.
  virtual Result<std::vector<KernelCounters>> Counters() const = 0;

  // Calls `sink` with batches of the CPU samples whose time is in the range [begin, end). Includes
  // samples that the values leave out (core/cost/profiling_time.h). Returns the number of rows
  // passed.
  virtual Result<int64_t> Samples(
      HostNs begin, HostNs end,
      const std::function<void(std::span<const SampleRow>)>& sink) const = 0;

  // Calls `sink` with batches of the rows of `stream` that begin in the range [begin, end). If the
  // stream has no times, passes all rows. Only the columns in `columns` (indices from 0) are
  // decoded; the other columns are empty. All ids in the rows are ids of the profile, or 0 = none.
  // Returns the number of rows passed.
  virtual Result<int64_t> Events(Stream stream, std::span<const size_t> columns, HostNs begin,
                                 HostNs end,
                                 const std::function<void(const EventTable&)>& sink) const = 0;
};

}  // namespace gprofx
