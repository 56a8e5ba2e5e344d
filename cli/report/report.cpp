#include "cli/report/report.h"

#include "cli/report/json/report.h"
#include "cli/report/text/text.h"

namespace gprofx {

Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around) {
  const Result<View> view = BuildView(profile, options.query, options.json ? Room{} : TextRoom());
  if (!view) return view.error();
  if (options.json) return ReportJson(*view, around.files);
  return ReportText({*view, around, options.wide});
}

}  // namespace gprofx
