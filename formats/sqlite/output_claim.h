// The right to write one profile, from the start of a recording to its end.
//
// Two recordings never write one file: the claim is a lock on it, which the kernel gives back when
// the process ends, however it ends. It is an open file description lock on a byte that SQLite does
// not use: readers are not kept out, and closing other descriptors of the file does not lose it.
// Where a file system knows no locks, the check of FileIdentity is all there is.
//
// Until Publish nothing that was there is moved. A free name is taken at once. Blocking; one
// thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "formats/sqlite/output_file.h"

namespace gprofx {

enum class Existing {
  kKeepOld,   // a profile that is there becomes FILE.old; any other file is refused
  kForce,     // any regular file becomes FILE.old
  kMustBeNew  // nothing may be there
};

// Why there is no claim.
enum class ClaimTrouble {
  kRefused,  // the error says it
  kInUse,    // another recording writes this file
  kExists    // with kMustBeNew
};

class OutputClaim {
 public:
  // `make` fills a new, empty file, which is the first content of the profile; its errors name
  // `path`.
  using Make = Status (*)(const std::string& file, const std::string& path);
  static Result<OutputClaim> Take(const std::string& path, Existing existing, Make make,
                                  ClaimTrouble& trouble);
  OutputClaim(OutputClaim&& other) noexcept;
  OutputClaim& operator=(OutputClaim&& other) noexcept;
  ~OutputClaim();  // what was not published goes, and all is as it was before

  // The new file stands at `path`, the one that was there at `path`.old, its journal beside it. At
  // no moment is there none, where the file system has hard links.
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
  std::string waiting_;  // where the new file waits; "" = it is in place
  UniqueFd lock_, old_;  // of the new file; of the one that it replaces
  bool published_ = false;
  FileIdentity identity_;
};

// A name beside `path` for a file that takes its place when it is whole, and nothing there: what an
// ended recording left is removed, other files are left alone.
Result<std::string> TemporaryBeside(const std::string& path);

}  // namespace gprofx
