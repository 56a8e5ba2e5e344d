#include "samplers/collector/processes/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/file_io.h"
#include "core/base/unique_fd.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/wire/program_file.h"

namespace gprofx {
namespace {

constexpr size_t kLineBytes = 4096;  // bytes that are read from the start of a script

bool IsRegular(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// True if the kernel gives the program more privileges than its caller has. It then sets AT_SECURE,
// and the loader ignores LD_PRELOAD.
bool GainsPrivileges(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid()) return true;
  if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid())
    return true;
  return getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

Inspection Resolve(const std::string& command, const std::string& path_variable) {
  Inspection out;
  out.program = command;
  out.found = Found::kNotFound;
  const auto consider = [&out](const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) {
      if (errno == EACCES || errno == ENOTDIR) out.found = Found::kNotExecutable;
      return false;
    }
    out.program = file;
    const bool runs = S_ISREG(status.st_mode) && access(file.c_str(), X_OK) == 0;
    out.found = runs ? Found::kYes : Found::kNotExecutable;
    return runs;
  };
  if (command.empty()) return out;
  if (command.find('/') != std::string::npos) {
    consider(command);
    return out;
  }
  std::string_view rest = path_variable;
  while (true) {
    const size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const std::string file = (folder.empty() ? "." : std::string(folder)) + "/" + command;
    if (IsRegular(file) && consider(file)) return out;
    if (colon == std::string_view::npos) return out;
    rest.remove_prefix(colon + 1);
  }
}

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

}  // namespace

std::string ScriptInterpreter(std::string_view first_bytes) {
  if (!first_bytes.starts_with("#!")) return "";
  const std::string_view line = first_bytes.substr(2, first_bytes.find('\n') - 2);
  const std::vector<std::string_view> words = Words(line);
  if (words.empty()) return "";
  const std::string_view program = words[0];
  if (!program.ends_with("/env")) return std::string(program);
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i][0] == '-' || words[i].find('=') != std::string_view::npos) continue;
    return std::string(words[i]);
  }
  return std::string(program);
}

namespace {

Verdict VerdictOf(wire::Fitness fitness) {
  using wire::Fitness;
  using wire::NotSampled;
  const bool preload = !wire::MustNotPreload(fitness);
  switch (fitness) {
    case Fitness::kFits:
    case Fitness::kUnknown:  // let the kernel decide about such a file
      break;
    // The agent stays in the environment, because children may be dynamically linked.
    case Fitness::kStatic:
      return {"is statically linked", preload, NotSampled::kStatic};
    case Fitness::k32Bit:
      return {"is a 32-bit program", preload, NotSampled::k32Bit};
    case Fitness::kOtherMachine:
      return {std::string("is built for another processor than ") + wire::kMachineName, preload,
              NotSampled::kOtherMachine};
    case Fitness::kOtherLibrary:
      return {"uses a C library other than glibc and musl", preload, NotSampled::kOtherLibrary};
    case Fitness::kNoLibrary:
      return {"does not use the C library", preload, std::nullopt};
    case Fitness::kSanitizer:
      return {"is built with AddressSanitizer", preload, NotSampled::kSanitizer};
  }
  return {};
}

Verdict JudgeFile(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return {};
  return VerdictOf(wire::JudgeProgram([&fd](void* to, uint64_t offset, uint64_t bytes) {
    return offset < uint64_t{1} << 62 &&
           pread(fd.get(), to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }));
}

}  // namespace

Verdict JudgeElf(std::span<const std::byte> file) {
  return VerdictOf(wire::JudgeProgram([file](void* to, uint64_t offset, uint64_t bytes) {
    if (offset > file.size() || file.size() - offset < bytes) return false;
    std::memcpy(to, file.data() + offset, bytes);
    return true;
  }));
}

Inspection InspectCommand(const std::string& command, const std::string& path_variable) {
  Inspection out = Resolve(command, path_variable);
  if (out.found != Found::kYes) return out;
  std::string file = out.program;
  auto bytes = ReadSmallFile(file, kLineBytes);
  for (int level = 0; bytes && bytes->starts_with("#!") && level < 4; ++level) {
    const Inspection interpreter = Resolve(ScriptInterpreter(*bytes), path_variable);
    if (interpreter.found != Found::kYes) return out;
    file = interpreter.program;
    bytes = ReadSmallFile(file, kLineBytes);
  }
  Verdict verdict = JudgeFile(file);
  if (GainsPrivileges(file)) {
    verdict = {"is a privileged program (setuid, setgid or capabilities)", false,
               wire::NotSampled::kPrivileged};
  }
  out.preload = verdict.preload;
  out.reason = verdict.reason;
  if (!verdict.problem.empty()) out.problem = "not profiled: " + file + " " + verdict.problem;
  return out;
}

}  // namespace gprofx
