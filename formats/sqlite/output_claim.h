// The right to write one profile, from the start of a recording to its end.
//
// Two recordings never write one file: the claim is a lock on it, which the kernel releases when
// the process ends in any way. It is an open file description lock on a byte that SQLite does not
// use. So it does not exclude readers, and closing other descriptors of the file does not release
// it. On file systems without locks, the check of FileIdentity (output_file.h) is the only
// protection.
//
// Until Publish no existing file is moved. If no file exists at the path, the new file is placed
// there at once. Blocking; one thread.
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

// Why a claim failed.
enum class ClaimTrouble {
  kRefused,  // the error has the reason
  kInUse,    // another recording writes this file
  kExists    // with kMustBeNew: the file exists
};

class OutputClaim {
 public:
  // Claims `path`. `make` fills a new, empty file with the initial content of the profile; its
  // errors name `path`. On failure `trouble` has the kind of reason.
  using Make = Status (*)(const std::string& file, const std::string& path);
  static Result<OutputClaim> Take(const std::string& path, Existing existing, Make make,
                                  ClaimTrouble& trouble);
  OutputClaim(OutputClaim&& other) noexcept;
  OutputClaim& operator=(OutputClaim&& other) noexcept;
  ~OutputClaim();  // removes unpublished files and restores the previous state

  // Puts the new file at `path`, after moving the previous one, with its journal, to `path`.old. If
  // the file system has hard links, there is a file at `path` at every moment.
  Status Publish();

  const std::string& path() const { return path_; }
  FileIdentity identity() const { return identity_; }  // of the new file

 private:
  OutputClaim() = default;
  Status Prepare(Make make);
  Status Claim(Existing existing, ClaimTrouble& trouble);
  Status LockExisting(ClaimTrouble& trouble);
  Status TakeFreeName(bool& taken);
  void Release();

  std::string path_;
  std::string waiting_;  // path of the unpublished new file; "" = it is in place
  UniqueFd lock_, old_;  // of the new file; of the one that it replaces
  bool published_ = false;
  FileIdentity identity_;
};

// Creates an empty file next to `path`, which is to replace `path` once complete, and returns its
// name. A file left under that name by an ended recording is removed; other files are left alone.
Result<std::string> TemporaryBeside(const std::string& path);

}  // namespace gprofx
