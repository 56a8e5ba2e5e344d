// A profile as one HTML file that needs nothing else: no network, no server, no library.
//
// The page is the assets of this folder (page.html, style.css, *.js) and the data: JSON and packed
// columns, compressed, in base64, so that no name of a program is ever a part of the markup. What
// is shown of the whole run was added up here; sums of a selected range are added up by the page's
// script from the same events by the same rules (core/slice/part.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/report/html/analyses.h"
#include "cli/report/html/document.h"
#include "core/events/finding.h"
#include "core/slice/part.h"
#include "core/views/page/page_estimates.h"
#include "core/views/page/page_markers.h"
#include "core/views/page/page_time.h"
#include "core/views/page/page_tree.h"
#include "core/views/view.h"

namespace gprofx {

struct PageInput {
  const View& view;  // of the whole run, with kernels, threads and quality
  const PageTree& tree;
  const PageTimeline& timeline;
  std::optional<ShownPart> part;    // what the page begins with; nothing = the whole run
  WallShares part_wall;             // of it
  std::vector<Annotation> kernels;  // with PC samples, by their time
  std::string no_sass;              // why their code is not disassembled; "" = it is
  std::vector<Finding> findings;
  std::vector<std::string> files;
  PageMarkers markers;
  PageEstimates estimates;  // where GPU records were made for a part of the time
  std::optional<PageAnalyses> analyses =
      {};  // nothing where no GPU work lies in layers or operators
  std::optional<PageAnalyses> forecast = {};  // of a step on other GPUs, where asked for
};

// The whole document.
std::string RenderPage(const PageInput& input);

PageData MakePageData(const PageInput& input);

}  // namespace gprofx
