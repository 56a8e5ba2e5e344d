#include "cli/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace gprofx {

namespace {

// Returns the template of a temporary file's name, for mkstemp(3) and similar functions. `stem` is
// the start of the name.
std::string Template(std::string_view stem) {
  const char* folder = std::getenv("TMPDIR");
  std::string name = folder != nullptr && folder[0] == '/' ? folder : "/tmp";
  return name.append("/").append(stem).append("-XXXXXX");
}

}  // namespace

TemporaryFile::TemporaryFile(std::string_view stem) : name_(Template(stem)) {
  file_.Reset(mkostemp(name_.data(), O_CLOEXEC));
  if (!file_) name_.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) unlink(name_.c_str());
}

TemporaryFolder::TemporaryFolder(std::string_view stem) : name_(Template(stem)) {
  if (mkdtemp(name_.data()) == nullptr) name_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!name_.empty()) std::filesystem::remove_all(name_, ignored);
}

}  // namespace gprofx
