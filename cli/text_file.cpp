#include "cli/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/options.h"
#include "core/base/file_io.h"
#include "formats/redaction/source_mode.h"
#include "formats/sqlite/output_claim.h"
#include "formats/sqlite/output_file.h"

namespace gprofx {
namespace {

std::string WayOut(const std::string& option) { return "name another file after " + option; }

}  // namespace

Status CheckTextFile(const std::string& path, const std::string& option) {
  if (path.empty()) return BadValue(option, "the name of a file", "");
  bool exists = false;
  if (Status fits = CheckReplaceable(path, false, exists); !fits) {
    return Error{fits.error().id, fits.error().what, WayOut(option)};
  }
  if (exists && IsProfile(path)) {
    return Error{ErrorId::kOutputExists, "'" + path + "' is a profile and is not overwritten",
                 WayOut(option)};
  }
  return Ok();
}

Status ReplaceTextFile(const std::string& path, std::string_view text, const std::string& option) {
  if (Status fits = CheckTextFile(path, option); !fits) return fits;
  return WriteTextFile(path, text, WayOut(option));
}

Status WriteTextFile(const std::string& path, std::string_view text, const std::string& way_out) {
  const Result<std::string> made = TemporaryBeside(path);
  if (!made) return Error{made.error().id, made.error().what, way_out};
  const UniqueFd file = OpenMadeFile(*made);
  const bool written = file && WriteAll(file.get(), text.data(), text.size()) &&
                       fchmod(file.get(), DerivedMode()) == 0 &&
                       rename(made->c_str(), path.c_str()) == 0;
  if (written) return Ok();
  const Error error = WriteError(path, errno, "");
  unlink(made->c_str());
  return Error{error.id, error.what, way_out};
}

}  // namespace gprofx
