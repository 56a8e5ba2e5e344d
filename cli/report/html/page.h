// A profile as one self-contained HTML file: no network, no server, no library.
//
// The page is the assets of this folder (page.html, style.css, *.js) and the data: JSON and packed
// columns, compressed, in base64, so that names in a profile never become part of the markup. Sums
// of the whole run are computed here. Sums of a selected range are computed by the page's script
// from the same events by the same rules (core/slice/part.h).
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
  const View& view;  // the whole run, with kernels, threads and quality
  const PageTree& tree;
  const PageTimeline& timeline;
  std::optional<ShownPart> part;         // initially shown range; unset = the whole run
  PageStart start;                       // of `part`
  std::vector<Annotation> kernels = {};  // kernels with PC samples, by time
  std::string no_sass = {};              // why kernel code is not disassembled; "" = it is
  std::vector<SourceText> sources = {};  // source files as recorded
  std::vector<std::string> files = {};
  PageMarkers markers = {};
  PageEstimates estimates = {};               // set if only part of the time has GPU records
  std::optional<PageAnalyses> analyses = {};  // unset if no GPU work lies in layers or operators
  std::optional<PageAnalyses> forecast = {};  // forecast of a step on other GPUs, if requested
};

// Returns the whole document.
std::string RenderPage(const PageInput& input);

PageData MakePageData(const PageInput& input);

}  // namespace gprofx
