#include "cli/diff/sides.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "cli/terminal/screen.h"
#include "cli/terminal/text.h"
#include "formats/profile_reader.h"

namespace gprofx {
namespace {

bool IsFolder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), &closedir);
  return folder != nullptr;
}

// The profiles in a folder, by name: repetitions that `gprof-x ci` or a loop numbered.
Result<std::vector<std::string>> FilesIn(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), &closedir);
  std::vector<std::string> files;
  constexpr std::string_view kEnding = ".gprofx";
  while (const dirent* entry = folder != nullptr ? readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name.size() > kEnding.size() && name.ends_with(kEnding)) {
      files.push_back(path + "/" + std::string(name));
    }
  }
  if (files.empty()) {
    return Error{"'" + path + "' holds no .gprofx file", "name the profiles or their folder"};
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::vector<std::string>> ProfilesOf(const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  for (const std::string& operand : operands) {
    if (!IsFolder(operand)) {
      files.push_back(operand);
      continue;
    }
    const Result<std::vector<std::string>> inside = FilesIn(operand);
    if (!inside) return inside.error();
    files.insert(files.end(), inside->begin(), inside->end());
  }
  return files;
}

namespace {

Result<compare::Run> ReadRun(const std::string& path) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  const Result<Profile> profile = reader->Load();
  if (!profile) return profile.error();
  compare::RunReader run(*profile);
  for (const Stream stream : compare::RunReader::Streams()) {
    const Result<int64_t> read = reader->Events(
        stream, compare::RunReader::Columns(stream), std::numeric_limits<HostNs>::min(),
        std::numeric_limits<HostNs>::max(), [&](const EventTable& rows) { run.Add(rows); });
    if (!read) return read.error();
  }
  return run.Finish();
}

}  // namespace

Result<std::vector<compare::Run>> ReadRuns(const std::vector<std::string>& files) {
  ProgressLine progress(STDERR_FILENO);
  std::vector<compare::Run> runs;
  for (const std::string& file : files) {
    progress.Show("reading " + file);
    Result<compare::Run> run = ReadRun(file);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace gprofx
