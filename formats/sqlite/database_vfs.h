// The files that one SQLite connection may touch: its database and that database's own rollback
// journal. SQLite's own VFS follows names that a journal holds, and opens and deletes those files.
//
// A VFS of its own for each connection, in front of SQLite's default one. It refuses every other
// name: super-journals, write-ahead logs, temporary files, attached databases. Files are opened
// without following a link in their last component, and only if they are regular; a named pipe or a
// device is never waited for.
//
// Used inside formats/ only. One thread per object; opening is safe from several threads.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace gprofx::sqlite {

enum class Opening {
  // Nothing is written or deleted. Where a writer was killed within a commit, the pages before
  // that commit are read from its journal, which stays as it is.
  kRead,
  // A file that this process has made, see WasMadeHere. A journal that this connection did not
  // create itself is never read, written or deleted.
  kWrite,
  // Somebody's database is changed. Its journal is played back if it names no super-journal and
  // belongs to the user, to the database's owner or to root.
  kAppend,
};

class DatabaseVfs {
 public:
  DatabaseVfs(const std::string& path, Opening opening);
  ~DatabaseVfs();  // after the connection
  DatabaseVfs(const DatabaseVfs&) = delete;
  DatabaseVfs& operator=(const DatabaseVfs&) = delete;

  // As sqlite3_open_v2.
  int Open(sqlite3** db);

  // Why a file was refused; SQLite's code alone does not tell.
  const std::optional<Error>& refusal() const;

  // Is there a journal of this connection, of a commit that did not end?
  bool HasJournal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gprofx::sqlite
