#include "cli/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/base/file_io.h"
#include "formats/output_claim.h"
#include "formats/output_file.h"

namespace gprofx {
namespace {

Error Elsewhere(const Error& error, const std::string& option) {
  return {error.what, "name another file after " + option};
}

mode_t UsualMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Status CheckTextFile(const std::string& path, const std::string& option) {
  if (path.empty()) return Error{option + " takes the name of a file", ""};
  bool exists = false;
  if (Status fits = CheckReplaceable(path, false, exists); !fits) {
    return Elsewhere(fits.error(), option);
  }
  if (exists && IsProfile(path)) {
    return Error{"'" + path + "' is a profile, which is not written over",
                 "name another file after " + option};
  }
  return Ok();
}

Status ReplaceTextFile(const std::string& path, std::string_view text, const std::string& option) {
  if (Status fits = CheckTextFile(path, option); !fits) return fits;
  const Result<std::string> made = TemporaryBeside(path);
  if (!made) return Elsewhere(made.error(), option);
  const UniqueFd file(open(made->c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  const bool written = file && WriteAll(file.get(), text.data(), text.size()) &&
                       fchmod(file.get(), UsualMode()) == 0 &&
                       rename(made->c_str(), path.c_str()) == 0;
  if (written) return Ok();
  const Error error = WriteError(path, errno, "");
  unlink(made->c_str());
  return Elsewhere(error, option);
}

}  // namespace gprofx
