// Restricts the files that one SQLite connection may access to its database and that database's own
// rollback journal. SQLite's own VFS follows names stored in a journal, and opens and deletes those
// files.
//
// Each connection has its own VFS, in front of SQLite's default one. It refuses every other name:
// super-journals, write-ahead logs, temporary files, attached databases. Files are opened without
// following a link in their last component, and only if they are regular, so it never waits for a
// named pipe or a device.
//
// Used only inside formats/. One thread per object; opening is safe from several threads.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace gprofx::sqlite {

enum class Opening {
  // Writes and deletes nothing. If a writer was killed within a commit, the pages from before that
  // commit are read from its journal, which is left as it is.
  kRead,
  // Writes a file that this process created (WasMadeHere in output_file.h). A journal that this
  // connection did not create itself is never read, written or deleted.
  kWrite,
  // Changes an existing database. Its journal is played back if it names no super-journal and
  // belongs to the user, to the database's owner or to root.
  kAppend,
};

class DatabaseVfs {
 public:
  DatabaseVfs(const std::string& path, Opening opening);
  ~DatabaseVfs();  // destroy after the connection
  DatabaseVfs(const DatabaseVfs&) = delete;
  DatabaseVfs& operator=(const DatabaseVfs&) = delete;

  // Opens the database, with the arguments and results of sqlite3_open_v2.
  int Open(sqlite3** db);

  // The reason if a file was refused; SQLite's result code alone does not tell.
  const std::optional<Error>& refusal() const;

  // True if this connection has left the journal of an unfinished commit.
  bool HasJournal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gprofx::sqlite
