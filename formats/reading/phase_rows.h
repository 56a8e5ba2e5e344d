// Reads and writes phases, steps and the values of the steady phase in the tables of a profile.
// Used inside formats/ only.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/database/table_reader.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// meta["phases"] = "yes": phases have been searched for, even if their tables are empty.
inline constexpr char kPhasesFact[] = "phases";

// Writes into empty tables, inside a transaction. `steady` is null if there is no steady phase.
bool WritePhases(sqlite::Database& db, const Phases& phases, const PartValues* steady);

// Fills profile.phases. On false, reader.error() has the reason.
bool LoadPhases(TableReader& reader, Profile& profile);

// Returns the values of the steady phase; nullopt if the file has none. `profile` must have been
// loaded from `file`.
Result<std::optional<PartValues>> ReadSteady(const ProfileFile& file, const Profile& profile);

}  // namespace gprofx
