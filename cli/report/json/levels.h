// Makes the JSON rows of GPU time by layer, operator or library.
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json LevelRowsJson(const View& view);

}  // namespace gprofx
