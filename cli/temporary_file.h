// An empty file of our own in $TMPDIR, else /tmp, whose name is gone at the end of the scope. Mode 0600.
// One thread.
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

}  // namespace gprofx
