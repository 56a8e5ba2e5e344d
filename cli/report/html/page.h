// Makes the page of a profile: one HTML file that needs no network, no server and no library.
//
// The page consists of the files in this folder (page.html, style.css, *.js) and its data: JSON and
// packed columns, compressed and in base64. Names in a profile therefore never become part of the
// markup. Sums over the whole run are computed here. Sums over a selected range are computed by the
// page's script from the same events and by the same rules (core/slice/part.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/report/html/analyses.h"
#include "cli/report/html/document.h"
#include "cli/report/html/start.h"
#include "core/gpu/gpu.h"
#include "core/slice/part.h"
#include "core/views/page/page_estimates.h"
#include "core/views/page/page_markers.h"
#include "core/views/page/page_time.h"
#include "core/views/page/page_tree.h"
#include "core/views/view.h"

namespace gprofx {

struct PageInput {
  const View& view;  // view of the whole run, with kernels, threads and quality
  const PageTree& tree;
  const PageTimeline& timeline;
  // The range with which the page starts; nullopt = the whole run.
  std::optional<ShownPart> part;
  PageStart start;                       // what the page says about `part`
  std::vector<Annotation> kernels = {};  // kernels with PC samples, longest time first
  std::string no_sass = {};              // why there is no disassembly; "" if there is one
  std::vector<SourceText> sources = {};  // source files that the recording contains
  std::vector<std::string> files = {};
  PageMarkers markers = {};
  PageEstimates estimates = {};               // not empty if only part of the time has GPU records
  std::optional<PageAnalyses> analyses = {};  // nullopt if no GPU work is in a layer or an operator
  // The forecast of a step on other GPUs, if --forecast was given.
  std::optional<PageAnalyses> forecast = {};
};

// Returns the whole HTML document of the page.
std::string RenderPage(const PageInput& input);

PageData MakePageData(const PageInput& input);

}  // namespace gprofx
