// Phases, steps and the values of the steady phase in the tables of a profile. Used inside formats/
// only.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/database/table_reader.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// meta["phases"] = "yes" says that somebody has looked for them: their tables may be empty.
inline constexpr char kPhasesFact[] = "phases";

// Into empty tables, inside a transaction. `steady` null: there is no such phase.
bool WritePhases(sqlite::Database& db, const Phases& phases, const PartValues* steady);

// False: reader.error() says why.
bool LoadPhases(TableReader& reader, Profile& profile);

// Of a profile that was loaded from this file; nothing if the file has none.
Result<std::optional<PartValues>> ReadSteady(const ProfileFile& file, const Profile& profile);

}  // namespace gprofx
