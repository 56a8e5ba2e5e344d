// Defines the words of error messages about SQLite exports of Nsight Systems, for all code that
// reads them.
#pragma once

#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx {

inline constexpr FileKind kNsightExport = {
    .noun = "Nsight Systems export",
    .word = "export",
    .application_id = 0,
    .origin = "write one with nsys export --type sqlite REPORT",
    .missing_fix = "write one with nsys export --type sqlite REPORT",
    .empty_fix = "export the report again",
    .copy_fix = "export the report again",
    .damage_fix = "export the report again"};

}  // namespace gprofx
