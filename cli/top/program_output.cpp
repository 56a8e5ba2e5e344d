#include "cli/top/program_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/temporary_file.h"

namespace gprofx {
namespace {

UniqueFd NamelessFile() {
  TemporaryFile made("gprof-x-top");
  if (made.file()) fcntl(made.file().get(), F_SETFL, O_APPEND);
  return std::move(made.file());
}

}  // namespace

Result<ProgramOutput> ProgramOutput::Open(const std::string& path) {
  constexpr mode_t kMode = 0666;
  ProgramOutput output;
  output.is_named_ = !path.empty();
  output.nothing_.Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (path.empty()) {
    output.file_ = NamelessFile();  // if it cannot be made, the output is discarded
    return output;
  }
  const int how = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
  output.file_.Reset(open(path.c_str(), how, kMode));
  if (!output.file_) {
    return Error{ErrorId::kCannotWrite, "cannot write '" + path + "': " + std::strerror(errno),
                 "name another file with --program-output"};
  }
  return output;
}

std::array<int, 3> ProgramOutput::Stdio(bool has_screen) const {
  const int out = file_ ? file_.get() : nothing_.get();
  const bool takes_errors = is_named_ || (has_screen && isatty(STDERR_FILENO) != 0);
  return {isatty(STDIN_FILENO) != 0 ? nothing_.get() : -1, out, takes_errors ? out : -1};
}

void ProgramOutput::Trim() const {
  struct stat facts = {};
  if (is_named_ || !file_ || fstat(file_.get(), &facts) != 0 || facts.st_size <= kMax) return;
  if (ftruncate(file_.get(), 0) != 0) return;  // on failure, the file grows until the next call
}

std::string ProgramOutput::LastLines(size_t count) const {
  constexpr size_t kRead = 16384;
  struct stat facts = {};
  if (is_named_ || !file_ || fstat(file_.get(), &facts) != 0) return "";
  std::string text(kRead, '\0');
  const off_t from =
      facts.st_size > static_cast<off_t>(kRead) ? facts.st_size - static_cast<off_t>(kRead) : 0;
  const ssize_t got = pread(file_.get(), text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  size_t at = text.size();
  for (size_t lines = 0; at > 0; --at) {
    if (text[at - 1] == '\n' && at != text.size() && ++lines == count) break;
  }
  return text.substr(at);
}

}  // namespace gprofx
