// Reads and writes the phases, the steps and the values of the steady phase in the tables of a
// profile. Used only inside formats/.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/database/table_reader.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// Name of the entry of meta that says whether phases have been searched for: "yes", even if none
// were found.
inline constexpr char kPhasesFact[] = "phases";

// Writes the phases into empty tables, inside a transaction. `steady` holds the values of the
// steady phase, or is null if there is none. Returns false on an SQLite error.
bool WritePhases(sqlite::Database& db, const Phases& phases, const PartValues* steady);

// Fills profile.phases. On failure, returns false, and reader.error() has the reason.
bool LoadPhases(TableReader& reader, Profile& profile);

// Returns the values of the steady phase; no value if the file has none. `profile` must have been
// loaded from `file`.
Result<std::optional<PartValues>> ReadSteady(const ProfileFile& file, const Profile& profile);

}  // namespace gprofx
