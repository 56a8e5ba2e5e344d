// An empty private file or folder in $TMPDIR, else /tmp, removed at the end of the scope. Modes
// 0600 and 0700. One thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/unique_fd.h"

namespace gprofx {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view stem);  // prefix of the name: "gprof-x-top"
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }  // "" = it could not be created
  UniqueFd& file() { return file_; }  // read-write; may be moved out; the name is still removed

 private:
  std::string name_;
  UniqueFd file_;
};

class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view stem);
  ~TemporaryFolder();  // removes the contents, too
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& name() const { return name_; }  // "" = it could not be created, errno says why

 private:
  std::string name_;
};

}  // namespace gprofx
