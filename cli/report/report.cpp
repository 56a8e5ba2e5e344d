#include "cli/report/report.h"

#include "cli/report/json/report.h"
#include "cli/report/text/text.h"

namespace gprofx {

size_t TimelineBinsFor(const ReportOptions& options, const Screen& screen) {
  return options.json ? options.json_bins : TimelineColumns(screen);
}

size_t MemoryBinsFor(const ReportOptions& options, const Screen& screen) {
  return options.json ? options.json_bins : MemoryColumns(screen);
}

Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around, const ViewEvents& events) {
  const Result<View> view =
      BuildView(profile, options.query, options.json ? Room{} : TextRoom(), events);
  if (!view) return view.error();
  if (options.json) return ReportJson(*view, around.files);
  return ReportText({*view, around, options.wide, options.verbose});
}

}  // namespace gprofx
