#include "cli/record/launch_advice.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/report/number.h"
#include "cli/terminal/nearest_word.h"
#include "cli/terminal/text.h"
#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx::record {
namespace {

constexpr size_t kLookBytes = 64 << 10;

// Returns the program that the kernel starts for a file with this content: the interpreter after
// "#!", or the loader that an ELF file names. Returns "" if there is none.
std::string StartedBy(std::string_view file) {
  if (file.starts_with("#!")) {
    const std::string_view line = file.substr(2, file.find('\n') - 2);
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return "";
    return std::string(line.substr(begin, line.find_first_of(" \t", begin) - begin));
  }
  Elf64_Ehdr header;
  if (file.size() < sizeof header) return "";
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = header.e_phoff + i * sizeof segment;
    if (at > file.size() || file.size() - at < sizeof segment) return "";
    std::memcpy(&segment, file.data() + at, sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset >= file.size()) return "";
    const std::string_view rest = file.substr(segment.p_offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  return "";
}

// Returns the names of all files in the folders on $PATH.
std::vector<std::string> Programs() {
  std::vector<std::string> names;
  const char* path = getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error))
      names.push_back(at->path().filename());
  }
  return names;
}

}  // namespace

std::string PythonHint(const std::string& command) {
  if (!command.ends_with(".py") || access(command.c_str(), R_OK) != 0) return "";
  return "; gprof-x record -- python3 " + Printable(command) + " runs the script";
}

std::string WhyNotFound(const std::string& command) {
  const std::string plain = "no such program" + PythonHint(command);
  if (command.find('/') != std::string::npos || command.ends_with(".py")) return plain;
  const std::string nearest = NearestWord(command, Programs());
  return nearest.empty() ? plain : plain + "; did you mean '" + Printable(nearest) + "'?";
}

std::string WhyNotStarted(const std::string& program, int exec_errno) {
  const std::string plain = std::strerror(exec_errno);
  if (exec_errno != ENOENT && exec_errno != EACCES) return plain;
  const auto bytes = ReadSmallFile(program, kLookBytes);
  const std::string starter = bytes ? StartedBy(*bytes) : "";
  if (starter.empty()) return plain;
  const bool is_script = bytes->starts_with("#!");
  const std::string what =
      std::string(is_script ? "its interpreter" : "its loader") + " '" + starter + "' ";
  struct stat info {};
  if (stat(starter.c_str(), &info) != 0) {
    const bool dos = is_script && starter.ends_with('\r');
    return what + "does not exist" +
           (dos         ? "; its lines end as on Windows: convert them with dos2unix"
            : is_script ? "; correct its first line"
                        : "; install the C library that it was built for");
  }
  if (exec_errno == EACCES && (!S_ISREG(info.st_mode) || access(starter.c_str(), X_OK) != 0)) {
    return what + "is not executable";
  }
  return plain;
}

std::string MissingTimers(int64_t threads, uint64_t pending_signal_limit) {
  if (threads <= 0) return "";
  return Grouped(threads) + (threads == 1 ? " thread has" : " threads have") +
         " no sampling timer, because the limit of pending signals is " +
         std::to_string(pending_signal_limit) + "; raise it with ulimit -i";
}

}  // namespace gprofx::record
