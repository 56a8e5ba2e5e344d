// Phases, steps, the shown range and the timeline; see "JSON" in gprof-x-report(1).
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json PhasesJson(const View& view);    // an array; empty if there are none
Json StepsJson(const View& view);     // null if there are none
Json PartJson(const View& view);      // null = everything is shown
Json TimelineJson(const View& view);  // of View::timeline
Json MarkersJson(const MarkerTable& table);

}  // namespace gprofx
