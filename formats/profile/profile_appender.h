// Adding to a finished profile what analyses made of it: findings, and tables of their own.
//
// All that is added between Open and Commit is one transaction: whatever happens before, the file
// stays as it was, and a process that is killed inside Commit leaves a journal beside the file from
// which the next reader takes it back. What the recorder wrote is never changed.
//
// From Open on other writers wait; readers do not, but a reader who holds the file makes Commit
// fail after two seconds, this process's own too: close it first. Errors are one line with the way
// out; after one, only the destructor is of use. Any file gets an answer, as of ProfileReader.
// Blocking; one thread.
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
  // Refuses what was not recorded to its end.
  static Result<ProfileAppender> Open(const std::string& path);
  ProfileAppender(ProfileAppender&&) noexcept;
  ProfileAppender& operator=(ProfileAppender&&) noexcept;
  ~ProfileAppender();  // what was not committed is as if it never was

  // Behind those that are there. Nodes are those of the profile.
  Status Append(std::span<const Finding> findings);
  // Makes the table if there is none. One that is there must have the same columns; the recorder's
  // tables are refused.
  Status Append(const AddedTable& table);
  // Removes all rows, for an analysis that is run again. No table of that name is fine.
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
