#include "samplers/collector/inspect.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "samplers/collector/procfs.h"

namespace gprofx {
namespace {

constexpr size_t kLookBytes = 64 << 10;

template <class T>
std::optional<T> ReadAt(std::span<const std::byte> file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

bool IsRegular(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// The kernel sets AT_SECURE: the loader will ignore us, and so it should.
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

Verdict JudgeElf(std::span<const std::byte> file) {
  const auto ident = ReadAt<std::array<unsigned char, EI_NIDENT>>(file, 0);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) return {};  // the kernel decides
  if ((*ident)[EI_CLASS] != ELFCLASS64) return {"is a 32-bit program", false};
  const auto header = ReadAt<Elf64_Ehdr>(file, 0);
  if (!header) return {};
  if (header->e_machine != EM_X86_64) return {"is built for another processor than x86-64", false};
  for (uint16_t i = 0; i < header->e_phnum; ++i) {
    const auto segment =
        ReadAt<Elf64_Phdr>(file, header->e_phoff + uint64_t{i} * header->e_phentsize);
    if (!segment) break;
    if (segment->p_type != PT_INTERP) continue;
    if (segment->p_offset >= file.size()) return {};
    const auto* text = reinterpret_cast<const char*>(file.data()) + segment->p_offset;
    const std::string_view loader(text, strnlen(text, file.size() - segment->p_offset));
    if (loader.find("ld-linux") == std::string_view::npos) {
      return {"uses another C library than glibc", false};
    }
    return {};
  }
  // Its children may well be dynamic: the agent stays in the environment.
  return {"is statically linked", true};
}

Inspection InspectCommand(const std::string& command, const std::string& path_variable) {
  Inspection out = Resolve(command, path_variable);
  if (out.found != Found::kYes) return out;
  std::string file = out.program;
  auto bytes = ReadSmallFile(file, kLookBytes);
  for (int level = 0; bytes && bytes->starts_with("#!") && level < 4; ++level) {
    const Inspection interpreter = Resolve(ScriptInterpreter(*bytes), path_variable);
    if (interpreter.found != Found::kYes) return out;
    file = interpreter.program;
    bytes = ReadSmallFile(file, kLookBytes);
  }
  Verdict verdict;
  if (bytes) verdict = JudgeElf(std::as_bytes(std::span(*bytes)));
  if (GainsPrivileges(file))
    verdict = {"is a privileged program (setuid, setgid or capabilities)", false};
  out.preload = verdict.preload;
  if (!verdict.problem.empty()) out.problem = "not profiled: " + file + " " + verdict.problem;
  return out;
}

}  // namespace gprofx
