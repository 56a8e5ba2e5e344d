// gprof-x analyze --what-if: predicts the length of a step after a change of the program
// (core/replay), and prints it as text or JSON. The printers are pure and compute no numbers.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/screen.h"
#include "core/base/result.h"
#include "core/replay/what_if.h"
#include "core/slice/part.h"

namespace gprofx {

struct WhatIfReport {
  std::string file;
  std::string part;  // the replayed range; "" = the whole recording
  WhatIfAnswer answer;
};

struct WhatIfCommand {
  std::string file;
  std::vector<WhatIfChange> changes;
  PartQuery part;
  int64_t step_ns = 0;  // length of a step without recording; 0 = not given
};

Result<std::vector<WhatIfChange>> ParseWhatIfs(const std::vector<std::string>& texts);
Result<WhatIfReport> AskWhatIf(const WhatIfCommand& command);

std::string WhatIfText(const WhatIfReport& report, const Screen& screen);
std::string WhatIfJson(const WhatIfReport& report);

}  // namespace gprofx
