#include "cli/record/add_findings.h"

#include <cstdio>
#include <exception>

namespace gprofx::record {

void AddFindings(const std::string& profile, bool verbose, Lines& lines,
                 const std::function<Status(const std::string&)>& store) noexcept {
  try {
    const Status stored = store(profile);
    if (!stored && verbose) lines.Say("the profile has no findings: " + stored.error().what);
  } catch (const std::exception&) {  // lines.Say() may run out of memory, too
    std::fprintf(
        stderr,
        "gprof-x: the profile has no findings: out of memory; run gprof-x analyze to find them\n");
  }
}

}  // namespace gprofx::record
