// Reads and writes the recordings that a merged profile is made of (Profile::sources,
// core/model/sources.h), in the tables recording, recording_fact, recording_counter and
// process_recording. These are empty for all other profiles.
#pragma once

#include "core/model/profile.h"
#include "formats/database/table_reader.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// Writes into empty tables, inside a transaction. Returns false on an SQLite error.
bool WriteRecordings(sqlite3* db, const Profile& profile);

// Call after the processes are loaded. Returns false if the data is damaged; the reader holds the
// error. Files before schema 1.3 have no recordings.
bool LoadRecordings(TableReader& reader, Profile& profile);

}  // namespace gprofx
