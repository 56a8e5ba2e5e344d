// Adds the results of analyses to a finished profile: findings, and tables of their own.
//
// Everything added between Open and Commit is one transaction. Until Commit the file is unchanged.
// A process that is killed inside Commit leaves a journal next to the file. Readers use it to read
// the file as it was before the change, and the next appender rolls the change back. What the
// recorder wrote is never changed.
//
// From Open on, other writers wait. Readers do not wait, but a reader that holds the file open
// makes Commit fail after two seconds. That includes a reader in this process: close it first.
// Errors are one line and suggest a fix; after an error only the destructor may be called. Accepts
// any file, as ProfileReader does. Blocking; one thread.
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
  // Refuses unfinished recordings.
  static Result<ProfileAppender> Open(const std::string& path);
  ProfileAppender(ProfileAppender&&) noexcept;
  ProfileAppender& operator=(ProfileAppender&&) noexcept;
  ~ProfileAppender();  // discards uncommitted changes

  // Appends after the existing findings. Nodes are those of the profile.
  Status Append(std::span<const Finding> findings);
  // Creates the table if there is none. An existing table must have the same columns; tables of the
  // recorder are refused.
  Status Append(const AddedTable& table);
  // Removes all rows of a table that ProfileAppender wrote, before its analysis is run again.
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
