#include "formats/redaction/source_mode.h"

#include <sys/stat.h>

#include <atomic>

namespace gprofx {
namespace {

std::atomic<mode_t> allowed = 0666;

}  // namespace

// Removes permissions that `mode` does not have from the mode of new files. The owner may always
// read and write them, even if the profile is read-only.
void NoteSourceMode(mode_t mode) { allowed &= mode | 0600; }

mode_t DerivedMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return allowed & ~mask;
}

}  // namespace gprofx
