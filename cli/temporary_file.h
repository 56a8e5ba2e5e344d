// An empty file, or a folder, of our own in $TMPDIR, else /tmp, that is gone at the end of the
// scope. Modes 0600 and 0700. One thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/unique_fd.h"

namespace gprofx {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view stem);  // of the name: "gprof-x-top"
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }  // "": none could be made
  UniqueFd& file() { return file_; }  // to read and write; may be taken, then it has no name soon

 private:
  std::string name_;
  UniqueFd file_;
};

class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view stem);
  ~TemporaryFolder();  // with all that is in it
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& name() const { return name_; }  // "": none could be made, errno says why

 private:
  std::string name_;
};

}  // namespace gprofx
