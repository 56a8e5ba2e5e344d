// Makes the JSON of phases, steps, the shown range and the timeline; see "JSON" in
// gprof-x-report(1).
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json PhasesJson(const View& view);    // an array; empty if there are no phases
Json StepsJson(const View& view);     // null if there are no steps
Json PartJson(const View& view);      // null if the whole recording is shown
Json TimelineJson(const View& view);  // made from View::timeline
Json MarkersJson(const MarkerTable& table);

}  // namespace gprofx
