#include "cli/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace gprofx {

TemporaryFile::TemporaryFile(std::string_view stem) {
  const char* folder = std::getenv("TMPDIR");
  name_ = folder != nullptr && folder[0] == '/' ? folder : "/tmp";
  name_.append("/").append(stem).append("-XXXXXX");
  file_.Reset(mkostemp(name_.data(), O_CLOEXEC));
  if (!file_) name_.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) unlink(name_.c_str());
}

}  // namespace gprofx
