// Adds the results of analyses to a finished profile: findings and tables.
//
// Everything added between Open and Commit is one transaction. Until Commit, the file is unchanged.
// A process that is killed inside Commit leaves a journal next to the file. Because of it, readers
// still read the file as it was before the change, and the next appender rolls the change back.
// Data that the recorder wrote never changes.
//
// From Open on, other writers wait. Readers do not wait, but Commit fails after two seconds if a
// reader holds the file open. That includes a reader in this process: close it first. Errors are
// one line and suggest a fix. After an error only the destructor may be called. Accepts any file,
// as ProfileReader does. Blocking; one thread.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/events/finding.h"
#include "formats/database/added_table.h"

namespace gprofx {

class ProfileAppender {
 public:
  // Opens the profile at `path`. Returns an error if its recording is unfinished.
  static Result<ProfileAppender> Open(const std::string& path);
  ProfileAppender(ProfileAppender&&) noexcept;
  ProfileAppender& operator=(ProfileAppender&&) noexcept;
  ~ProfileAppender();  // discards uncommitted changes

  // Appends after the existing findings. Their nodes must be ids of nodes of the profile.
  Status Append(std::span<const Finding> findings);
  // Appends the rows of `table`. Creates the table if there is none; an existing one must begin
  // with the same columns. Returns an error for tables of the recorder.
  Status Append(const AddedTable& table);
  // Removes all rows of a table that ProfileAppender wrote. Its analysis can then run again.
  // Succeeds if there is no table of that name.
  Status Clear(const std::string& table);

  Status Commit();

 private:
  explicit ProfileAppender(std::unique_ptr<class ProfileFile> file);
  Status Make(const AddedTable& table);
  Status Insert(const AddedTable& table);
  Status Failed(const std::string& table);

  std::unique_ptr<ProfileFile> file_;
  bool failed_ = false;
};

}  // namespace gprofx
