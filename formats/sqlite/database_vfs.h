// Lets an SQLite connection access only two files: its database, and the rollback journal of that
// database. SQLite's own VFS, in contrast, opens and deletes files whose names a journal contains.
//
// Each connection has its own VFS, which passes calls on to SQLite's default VFS. It refuses every
// other name: super-journals, write-ahead logs, temporary files, attached databases. It opens only
// regular files and does not follow a link in the last component of a path. Opening therefore never
// waits for a named pipe or a device.
//
// Used only inside formats/. One thread per object; several threads may open databases at the same
// time.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace gprofx::sqlite {

enum class Opening {
  // The connection writes and deletes nothing. If a writer was killed within a commit, pages are
  // read from its journal as they were before that commit. The journal stays unchanged.
  kRead,
  // For a file that this process created (WasMadeHere in output_file.h). The connection may write
  // it. It never reads, writes or deletes a journal that it did not create.
  kWrite,
  // For changing an existing database. If there is a journal, SQLite plays it back, provided that
  // it names no super-journal and belongs to the user, to the owner of the database or to root.
  kAppend,
};

class DatabaseVfs {
 public:
  DatabaseVfs(const std::string& path, Opening opening);
  ~DatabaseVfs();  // destroy it after the connection
  DatabaseVfs(const DatabaseVfs&) = delete;
  DatabaseVfs& operator=(const DatabaseVfs&) = delete;

  // Opens the database. Arguments and result are as for sqlite3_open_v2.
  int Open(sqlite3** db);

  // Returns why a file was refused; no value if none was. SQLite's result code does not say why.
  const std::optional<Error>& refusal() const;

  // True if this connection has left the journal of an unfinished commit.
  bool HasJournal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gprofx::sqlite
