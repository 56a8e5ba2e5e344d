// gprof-x doctor --fix: prints a script that the user can read and run. gprof-x never runs it.
#include "cli/doctor/doctor.h"
#include "cli/terminal/text.h"

namespace gprofx {

std::string DoctorFixScript(const std::vector<Check>& checks) {
  std::string out =
      "#!/bin/sh\n"
      "# Made by 'gprof-x doctor --fix', which ran none of it: read it first.\n"
      "set -eu\n"
      "sudo=sudo\n"
      "if [ \"$(id -u)\" = 0 ]; then sudo=; fi\n";
  bool any = false;
  for (const Check& check : checks) {
    if (check.health == Health::kOk || (check.fix.empty() && check.script.empty())) continue;
    any = true;
    // Printable() removes newlines, so text from the machine cannot end the comment.
    out += "\n# " + Printable(check.name) + ": " + Printable(check.detail) + "\n";
    out += check.script.empty() ? "# By hand: " + Printable(check.fix) + "\n" : check.script + "\n";
  }
  if (!any) out += "\n# Nothing to fix.\n";
  return out;
}

}  // namespace gprofx
