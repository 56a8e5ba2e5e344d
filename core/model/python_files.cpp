#include "core/model/python_files.h"

#include <algorithm>

#include "core/base/path.h"

namespace gprofx {
namespace {

// True for scripts of a few lines that an installer wrote: /usr/bin/pip, ~/.venv/bin/gunicorn.
bool IsInstalledScript(std::string_view path) {
  const std::string_view base = BaseName(path);
  const std::string_view folder = path.substr(0, path.size() - base.size());
  return base.find('.') == std::string_view::npos && folder.ends_with("/bin/");
}

}  // namespace

std::string_view PackageOf(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t found = path.find(folder);
    if (found == std::string_view::npos) continue;
    return path.substr(0, std::min(path.size(), path.find('/', found + folder.size())));
  }
  return "";
}

bool IsImportMachinery(std::string_view path) {
  return path.starts_with("<frozen importlib.") || path == "<frozen zipimport>";
}

bool IsUserPythonFile(std::string_view path) {
  if (path.empty() || path.front() == '<') return false;
  if (!PackageOf(path).empty() || IsInstalledScript(path)) return false;
  for (const std::string_view lib : {"/lib/python", "/lib64/python"}) {
    const size_t found = path.find(lib);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = path.substr(found + lib.size());
    if (!rest.empty() && rest.front() >= '2' && rest.front() <= '9') return false;
  }
  return true;
}

StringId FileOf(const Profile& profile, const Frame& frame) {
  if (frame.file) return frame.file;
  return frame.function ? profile.function(frame.function).file : StringId{};
}

std::string_view FrameFile(const Profile& profile, const Frame& frame) {
  return profile.Text(FileOf(profile, frame));
}

bool RunsImport(const Profile& profile, const Frame& frame) {
  return frame.kind == FrameKind::kPython && IsImportMachinery(FrameFile(profile, frame));
}

}  // namespace gprofx
