#include "cli/report/report.h"

#include "cli/report/analysis.h"
#include "cli/report/json.h"
#include "cli/report/text.h"

namespace gprofx {

Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around) {
  const Result<Analysis> analysis = Analyse(profile, options, around);
  if (!analysis) return analysis.error();
  if (options.json) return ReportJson(*analysis);
  std::string out = HeadText(*analysis);
  const bool of_threads = options.by == RowsBy::kThread || options.by == RowsBy::kProcess;
  switch (options.view) {
    case View::kTop:
      if (options.by == RowsBy::kKernel) return out + KernelTopText(*analysis);
      return out + (of_threads ? ThreadsText(*analysis) : TopText(*analysis));
    case View::kLines:
      return out + TopText(*analysis);
    case View::kTree:
      return out + TreeText(*analysis);
    case View::kThreads:
      return out + ThreadsText(*analysis);
    case View::kCallers: {
      const Result<std::string> callers = CallersText(*analysis);
      if (!callers) return callers.error();
      return out + *callers;
    }
  }
  return out;
}

}  // namespace gprofx
