// Manages the spool, a file in which targets store the code of GPU modules. The collector reads it
// at the end.
//
// It has no name (O_TMPFILE, or unlinked at once) and mode 0600. It is in the folder of the
// profile, because it may grow to kMaxBytes or half of the free space, whichever is less. Targets
// open it by its descriptor number in GPROFX_SESSION and write where they reserved space. Reading
// does not trust what they wrote: positions are checked, and a truncated file gives an Error. The
// collector owns it; its space is freed when the collector and all targets have closed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

class Spool {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{2} << 30;
  static constexpr uint64_t kMaxModule = uint64_t{512} << 20;

  // Creates the spool in the folder of `beside`, the path of the profile.
  static Result<Spool> Create(const std::string& beside);

  int descriptor() const { return file_.get(); }  // owned by this object
  uint64_t limit() const { return limit_; }

  Result<std::vector<std::byte>> Read(uint64_t offset, uint64_t bytes) const;

 private:
  UniqueFd file_;
  uint64_t limit_ = 0;
};

}  // namespace gprofx
