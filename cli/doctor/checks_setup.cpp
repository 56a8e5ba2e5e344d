#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "cli/doctor/checks.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

namespace fs = std::filesystem;

constexpr char kAgentName[] = "libgprofx-agent.so", kCudaName[] = "libgprofx-cuda.so";
constexpr char kForeignName[] = "gprofx-foreign", kMuslLoader[] = "/lib/ld-musl-x86_64.so.1";
constexpr int kForeignMilliseconds = 10'000;  // CUPTI is a large library
constexpr uint64_t kLittleDisk = uint64_t{200} << 20, kNoDisk = uint64_t{5} << 20;
constexpr int kPythonMilliseconds = 3000;

std::string Megabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// Interpreters of PATH, each file once.
std::vector<std::string> PythonsOnPath() {
  std::vector<std::string> names = {"python3", "python"};
  for (int minor = 6; minor <= 16; ++minor) names.push_back("python3." + std::to_string(minor));
  const std::string path = Variable("PATH");
  std::string_view rest = path;
  std::vector<std::string> found;
  std::set<std::string> seen;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const fs::path folder = std::string(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!folder.is_absolute()) continue;
    for (const std::string& name : names) {
      const fs::path file = folder / name;
      std::error_code error;
      const fs::path real = fs::canonical(file, error);
      if (error || access(file.c_str(), X_OK) != 0 || !fs::is_regular_file(real, error)) continue;
      if (seen.insert(real.string()).second) found.push_back(file.string());
    }
  }
  return found;
}

std::string FirstLine(std::string text) { return text.substr(0, text.find('\n')); }

// Folders of packages of the Pythons on PATH: PyTorch brings CUPTI as a package.
std::vector<std::string> PythonPackages() {
  std::vector<std::string> folders;
  for (const std::string& python : PythonsOnPath()) {
    const auto lines = CommandOutput({python, "-c", "import sys; print('\\n'.join(sys.path))"},
                                     kPythonMilliseconds);
    if (!lines) continue;
    std::string_view rest = *lines;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.ends_with("-packages")) folders.emplace_back(line);
    }
  }
  return folders;
}

std::vector<std::string> CudaHomes() {
  std::vector<std::string> homes;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = Variable(variable); !home.empty()) homes.push_back(home);
  }
  homes.emplace_back("/usr/local/cuda");
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().starts_with("cuda-"))
      homes.push_back(entry.path().string());
  }
  return homes;
}

// Our libraries: both an installation and a build tree have bin/gprof-x and lib/gprof-x/.
fs::path OwnLibrary(const char* name) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  return (folder / ".." / "lib" / "gprof-x" / name).lexically_normal();
}

// What the machine's libraries say, each answer a line: gprof-x itself is static and loads none.
std::optional<std::string> AskForeign(std::vector<std::string> question) {
  question.insert(question.begin(), OwnLibrary(kForeignName).string());
  return CommandOutput(question, kForeignMilliseconds);
}

Check CheckCupti() {
  std::vector<std::string> question =
      CuptiCandidates(Variable("GPROFX_CUPTI"), PythonPackages(), CudaHomes());
  question.insert(question.begin(), "cupti");
  const auto answer = AskForeign(std::move(question));
  if (!answer) {
    return {"CUPTI", Health::kWarn, "libcupti is not found: the GPU is not recorded",
            "python3 -m pip install nvidia-cuda-cupti"};
  }
  const size_t end = std::min(answer->find('\n'), answer->size());
  return JudgeCupti(answer->substr(0, end),
                    static_cast<uint32_t>(std::strtoul(answer->c_str() + end, nullptr, 10)));
}

Check CheckCudaLibrary() {
  const fs::path library = OwnLibrary(kCudaName);
  if (access(library.c_str(), R_OK) == 0) return {"GPU library", Health::kOk, library.string(), ""};
  return {"GPU library", Health::kWarn,
          "this gprof-x was built without CUDA: the GPU is not recorded",
          "python3 -m pip install nvidia-cuda-cupti nvidia-cuda-runtime, then build gprof-x again"};
}

}  // namespace

Check CheckAgent() {
  Check check{"agent", Health::kOk, "", ""};
  const fs::path agent = OwnLibrary(kAgentName);
  if (access(agent.c_str(), R_OK) == 0) {
    check.detail = agent.string();
    return check;
  }
  check.health = Health::kFail;
  check.detail = agent.string() + " is not there: nothing can be recorded";
  check.fix = "install gprof-x whole: cmake --install BUILD, or unpack the bundle again";
  return check;
}

Check CheckDisk() {
  Check check{"disk", Health::kOk, "", ""};
  struct statvfs info = {};
  if (statvfs(".", &info) != 0) {
    check.health = Health::kFail;
    check.detail = "the current folder cannot be asked for its free space";
    check.fix = "cd to another folder";
    return check;
  }
  const uint64_t free = uint64_t{info.f_bavail} * info.f_frsize;
  check.detail = Megabytes(free) + " free in the current folder";
  if (access(".", W_OK) != 0) {
    check.health = Health::kWarn;
    check.detail += ", which you may not write";
    check.fix = "record to another place: gprof-x record -o FILE -- COMMAND";
  } else if (free < kLittleDisk) {
    check.health = free < kNoDisk ? Health::kFail : Health::kWarn;
    check.fix = "record to another place: gprof-x record -o FILE -- COMMAND";
  }
  return check;
}

Check CheckLibc() {
  const auto version = AskForeign({"libc"});
  if (version) return {"C library", Health::kOk, "glibc " + FirstLine(*version), ""};
  if (access(kMuslLoader, F_OK) == 0) return {"C library", Health::kOk, "musl", ""};
  return {"C library", Health::kWarn, "no glibc 2.17 or newer, no musl: programs run without samples",
          "record on a machine, or in a container, with one of them"};
}

std::vector<Check> CheckPythons() {
  std::vector<Check> checks;
  for (const std::string& path : PythonsOnPath()) {
    const auto output = CommandOutput({path, "-V"}, kPythonMilliseconds);
    // A version manager leaves names on PATH that only say that nothing is installed behind them.
    const auto version = output ? ParsePythonVersion(*output) : std::nullopt;
    if (!version) continue;
    Check check{"Python", Health::kOk, path, ""};
    if (!IsSupportedPython(*version)) {
      check.health = Health::kWarn;
      check.detail += ": " + FirstLine(*output) + " is not supported: only native frames are seen";
      check.fix = "use CPython 3.8 to 3.14";
    } else {
      check.detail += ": " + FirstLine(*output);
    }
    checks.push_back(std::move(check));
  }
  if (checks.empty())
    checks.push_back({"Python", Health::kOk, "no working interpreter on PATH", ""});
  return checks;
}

std::vector<Check> CheckCuda() {
  const auto version = ReadSmallFile("/proc/driver/nvidia/version", kMostFile);
  if (!version && access("/dev/nvidiactl", F_OK) != 0)
    return {{"GPU", Health::kOk, "no NVIDIA driver is loaded", ""}};
  constexpr int kCapSysAdmin = 21;
  const uint64_t capabilities =
      EffectiveCapabilities(ReadSmallFile("/proc/self/status").value_or(""));
  std::vector<Check> checks = {
      {"GPU", Health::kOk, version ? FirstLine(*version) : "an NVIDIA driver of unknown version",
       ""},
      CheckCudaLibrary(),
      JudgeGpuCounters(ReadSmallFile("/proc/driver/nvidia/params", kMostFile).value_or(""),
                       (capabilities >> kCapSysAdmin & 1) != 0),
      CheckCupti()};
  if (const std::string injected = Variable("CUDA_INJECTION64_PATH"); !injected.empty())
    checks.push_back(JudgeInjection(injected, access(injected.c_str(), R_OK) == 0));
  return checks;
}

std::vector<Check> AllChecks() {
  std::vector<Check> checks = {
      CheckAgent(),  CheckKernel(), CheckPerfEvents(), CheckTimerResolution(),
      CheckPtrace(), CheckLibc(),   CheckDisk()};
  for (auto& group : {CheckPythons(), CheckCuda()}) {
    checks.insert(checks.end(), group.begin(), group.end());
  }
  return checks;
}

}  // namespace gprofx
