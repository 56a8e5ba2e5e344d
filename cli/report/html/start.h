// The start of a page: the verdict in words, where the wall time went, the ranks, and the findings
// of the range that the page shows first. The words are those of `gprof-x report`.
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
  std::vector<std::string> verdict;  // sentences, unescaped; none if filters are set
  FrameId own_line;                  // of the function that the verdict names; 0 = none
  WallShares wall;
  std::vector<LaneShares> lanes;  // more than one: `wall` merges them
  std::optional<Ranks> ranks;
  std::optional<findings::FindingReport> findings;  // unset: not computed
};

// `view`: of the range, with the kind and the rows of a default report.
PageStart MakePageStart(const View& view, const std::vector<std::string>& files);

Json WallJson(const WallShares& shares);  // null without a partition
// "lanes": by process and GPU; null if there are fewer than two.
Json LanesJson(const std::vector<LaneShares>& lanes);
Json PageRanksJson(const Ranks& ranks);
// `tree`: finds the nodes of the page.
Json PageFindingsJson(const findings::FindingReport& report, const PageTree& tree);

}  // namespace gprofx
