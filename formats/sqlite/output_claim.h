// Reserves the right to write one profile, from the start of a recording to its end.
//
// It keeps two recordings from writing the same file. The claim is a lock on the file, which the
// kernel releases however the process ends. The lock is an open file description lock on a byte
// that SQLite does not use. It therefore does not exclude readers, and closing other descriptors of
// the file does not release it. On file systems without locks, the check of FileIdentity
// (output_file.h) is the only protection.
//
// Take moves no existing file; Publish does. If no file exists at the path, Take places the new
// file there at once. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "formats/sqlite/output_file.h"

namespace gprofx {

enum class Existing {
  kKeepOld,   // an existing profile becomes FILE.old; any other file is refused
  kForce,     // any existing regular file becomes FILE.old
  kMustBeNew  // no file may exist
};

// The kind of failure of a claim.
enum class ClaimTrouble {
  kRefused,  // the error has the reason
  kInUse,    // another recording writes this file
  kExists    // with kMustBeNew: the file exists
};

class OutputClaim {
 public:
  // Claims `path`. `make` fills a new, empty file `file` with the initial content of the profile;
  // its errors name `path`. On failure, `trouble` is set to the kind of failure.
  using Make = Status (*)(const std::string& file, const std::string& path);
  static Result<OutputClaim> Take(const std::string& path, Existing existing, Make make,
                                  ClaimTrouble& trouble);
  OutputClaim(OutputClaim&& other) noexcept;
  OutputClaim& operator=(OutputClaim&& other) noexcept;
  ~OutputClaim();  // removes an unpublished new file

  // Moves an existing file and its journal to `path`.old and puts the new file at `path`. If the
  // file system has hard links, there is a file at `path` at every moment.
  Status Publish();

  const std::string& path() const { return path_; }
  FileIdentity identity() const { return identity_; }  // identity of the new file

 private:
  OutputClaim() = default;
  Status Prepare(Make make);
  Status Claim(Existing existing, ClaimTrouble& trouble);
  Status LockExisting(ClaimTrouble& trouble);
  Status TakeFreeName(bool& taken);
  void Release();

  std::string path_;
  std::string waiting_;  // path of the unpublished new file; "" if it is at path_
  UniqueFd lock_, old_;  // descriptors of the new file and of the one that it replaces
  bool published_ = false;
  FileIdentity identity_;
};

// Creates an empty file next to `path`, for content that will replace `path` once it is complete.
// Returns its name. If a recording that has ended left a file of that name, that file is removed.
// If the name is taken by another file, the next free name is used.
Result<std::string> TemporaryBeside(const std::string& path);

}  // namespace gprofx
