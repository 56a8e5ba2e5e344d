// Makes the JSON of report --memory, with the schema "gprof-x.report.memory/1".
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json MemoryJson(const View& view);

}  // namespace gprofx
