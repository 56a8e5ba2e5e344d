// Creates an empty private file or folder in $TMPDIR (default: /tmp) and removes it at the end of
// the scope. The modes are 0600 and 0700. One thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/unique_fd.h"

namespace gprofx {

class TemporaryFile {
 public:
  // `stem` is the begin of the name, such as "gprof-x-top".
  explicit TemporaryFile(std::string_view stem);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }  // "" = it could not be created
  // For reading and writing; may be moved out: the name is still removed.
  UniqueFd& file() { return file_; }

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
