// Reads and writes the list of recordings that a merged profile consists of (Profile::sources,
// core/model/sources.h). It is in the tables recording, recording_fact, recording_counter and
// process_recording, which are empty in other profiles.
#pragma once

#include "core/model/profile.h"
#include "formats/database/table_reader.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// Writes the recordings of `profile` into empty tables, inside a transaction. Returns false on an
// SQLite error.
bool WriteRecordings(sqlite3* db, const Profile& profile);

// Loads the recordings into `profile`, whose processes must already be loaded. Returns false if the
// data is damaged; reader.error() then describes the damage. Files before schema 1.3 have no
// recordings.
bool LoadRecordings(TableReader& reader, Profile& profile);

}  // namespace gprofx
