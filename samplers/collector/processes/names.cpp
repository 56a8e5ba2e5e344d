#include "samplers/collector/processes/names.h"

#include <algorithm>
#include <cctype>

#include "core/base/path.h"

namespace gprofx {
namespace {

// Returns the last part of a path: "src" for "src/", "/" for "/".
std::string_view NameOf(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path == "/" ? path : BaseName(path);
}

// True for the name of a Python interpreter: python, python3, python3.11, python3.13t, pypy3. False
// for python-config.
bool IsPython(std::string_view name) {
  if (name.starts_with("python")) {
    name.remove_prefix(6);
  } else if (name.starts_with("pypy")) {
    name.remove_prefix(4);
  } else {
    return false;
  }
  for (const char c : name) {
    if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.' && c != 't' && c != 'd')
      return false;
  }
  return true;
}

std::string PythonProgram(std::string_view interpreter, const std::vector<std::string>& command) {
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& arg = command[i];
    if (arg.empty() || arg[0] != '-' || arg == "-") {
      return arg.empty() || arg == "-" ? std::string(interpreter) : std::string(NameOf(arg));
    }
    if (arg.starts_with("--")) {
      if (arg == "--check-hash-based-pycs") ++i;  // the only long option with a separate value
      continue;
    }
    // Short options may be combined in one word. The first one that takes a value takes the rest of
    // the word, or the next argument.
    for (size_t k = 1; k < arg.size(); ++k) {
      if (arg[k] == 'c') return std::string(interpreter) + " -c";
      if (arg[k] == 'm') {
        const std::string module = k + 1 < arg.size()       ? arg.substr(k + 1)
                                   : i + 1 < command.size() ? command[i + 1]
                                                            : "";
        return "-m " + module;
      }
      if (arg[k] == 'W' || arg[k] == 'X') {
        if (k + 1 == arg.size()) ++i;
        break;
      }
    }
  }
  return std::string(interpreter);
}

bool NeedsQuotes(const std::string& arg) {
  if (arg.empty()) return true;
  for (const char c : arg) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte)) continue;
    if (std::string_view("_-+=./,:@%^").find(c) == std::string_view::npos) return true;
  }
  return false;
}

// Returns the value of the variable `name` if it is a number, otherwise "". `environment` has the
// form "A=1\0B=2\0".
std::string_view NumberIn(std::string_view environment, std::string_view name) {
  constexpr size_t kMaxDigits = 10;
  while (!name.empty() && !environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
    if (!entry.starts_with(name) || entry.substr(name.size(), 1) != "=") continue;
    const std::string_view value = entry.substr(name.size() + 1);
    const bool number = !value.empty() && value.size() <= kMaxDigits &&
                        value.find_first_not_of("0123456789") == std::string_view::npos;
    return number ? value : "";
  }
  return "";
}

}  // namespace

std::vector<std::string> SplitCommand(std::string_view command) {
  std::vector<std::string> out;
  while (!command.empty()) {
    const size_t end = command.find('\0');
    out.emplace_back(command.substr(0, end));
    if (end == std::string_view::npos) break;
    command.remove_prefix(end + 1);
  }
  return out;
}

std::string ProcessName(std::string_view executable, const std::vector<std::string>& command) {
  const std::string_view program =
      command.empty() || command[0].empty() ? executable : std::string_view(command[0]);
  const std::string_view base = NameOf(program);
  if (IsPython(base) || IsPython(NameOf(executable))) {
    return PythonProgram(IsPython(base) ? base : NameOf(executable), command);
  }
  // The name of a login shell begins with a hyphen: "-bash".
  return std::string(base.size() > 1 && base[0] == '-' ? base.substr(1) : base);
}

std::string RankInEnvironment(std::string_view environment) {
  // The most specific variables come first. Within a Slurm allocation, all of mpirun's ranks have
  // the same SLURM_PROCID.
  static constexpr struct {
    std::string_view rank, local;
  } kVariables[] = {{"RANK", "LOCAL_RANK"},
                    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
                    {"PMIX_RANK", ""},
                    {"PMI_RANK", "MPI_LOCALRANKID"},
                    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"},
                    {"SLURM_PROCID", "SLURM_LOCALID"}};
  for (const auto& [rank_name, local_name] : kVariables) {
    const std::string_view rank = NumberIn(environment, rank_name);
    if (rank.empty()) continue;
    const std::string_view local = NumberIn(environment, local_name);
    std::string text = "rank " + std::string(rank);
    if (!local.empty() && local != rank) text += " local " + std::string(local);
    return text;
  }
  return "";
}

std::string JoinCommand(const std::vector<std::string>& command) {
  std::string out;
  for (const std::string& arg : command) {
    if (!out.empty()) out += ' ';
    if (!NeedsQuotes(arg)) {
      out += arg;
      continue;
    }
    out += '\'';
    for (const char c : arg) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
  }
  return out;
}

}  // namespace gprofx
