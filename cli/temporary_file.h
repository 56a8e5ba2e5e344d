// Creates an empty private file or folder in $TMPDIR (default: /tmp) and removes it at the end of
// the scope. The modes are 0600 and 0700. One thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/unique_fd.h"

namespace gprofx {

class TemporaryFile {
 public:
  // Creates the file. `stem` is the start of its name, such as "gprof-x-top".
  explicit TemporaryFile(std::string_view stem);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }  // "" if it could not be created
  // The file, open for reading and writing. The caller may move it out of this object; the
  // destructor removes the name all the same.
  UniqueFd& file() { return file_; }

 private:
  std::string name_;
  UniqueFd file_;
};

class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view stem);
  ~TemporaryFolder();  // removes the folder with its contents
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // "" if it could not be created; errno then says why.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace gprofx
