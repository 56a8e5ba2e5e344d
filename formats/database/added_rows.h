// Reads the tables that analyses added to a profile (added_table.h), for ProfileReader. Used only
// inside formats/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/finding.h"
#include "formats/database/added_table.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

Result<std::vector<Finding>> ReadFindings(const ProfileFile& file);
// Returns the table `name`; no value if there is none, or if it is a table of the recorder.
Result<std::optional<AddedTable>> ReadAdded(const ProfileFile& file, const std::string& name);

}  // namespace gprofx
