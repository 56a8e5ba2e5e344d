// The recordings that a merged profile is made of (Profile::sources, core/model/sources.h), in the
// tables recording, recording_fact, recording_counter and process_recording. Empty for all others.
#pragma once

#include "core/model/profile.h"
#include "formats/database/table_reader.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// Into empty tables, inside a transaction. False on an SQLite error.
bool WriteRecordings(sqlite3* db, const Profile& profile);

// Behind the processes. False: damaged, the reader knows where. Files before schema 1.3 have none.
bool LoadRecordings(TableReader& reader, Profile& profile);

}  // namespace gprofx
