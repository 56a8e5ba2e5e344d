// Makes the start of a page for the range that the page shows first: the verdict as sentences,
// where wall time went, the ranks, and the findings. The sentences are those of `gprof-x report`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/findings/findings.h"
#include "core/views/page/page_tree.h"
#include "core/views/ranks.h"
#include "core/views/view.h"
#include "core/views/wall.h"

namespace gprofx {

struct PageStart {
  std::vector<std::string> verdict;  // sentences, unescaped; empty if the page has filters
  FrameId own_line;                  // line of the function that the verdict names; 0 = none
  WallShares wall;
  std::vector<LaneShares> lanes;  // set only if there is more than one; `wall` combines them
  std::optional<Ranks> ranks;
  std::optional<findings::FindingReport> findings;  // nullopt if no search for findings was made
};

// Makes the start of a page. `view` must be a view of the range, with the kind and the rows of a
// default report.
PageStart MakePageStart(const View& view, const std::vector<std::string>& files);

Json WallJson(const WallShares& shares);  // null if wall time is not partitioned
// Returns the shares of wall time by process and GPU. Returns null if there are fewer than two.
Json LanesJson(const std::vector<LaneShares>& lanes);
Json PageRanksJson(const Ranks& ranks);
// Returns the findings. `tree` is used to find their nodes in the page.
Json PageFindingsJson(const findings::FindingReport& report, const PageTree& tree);

}  // namespace gprofx
