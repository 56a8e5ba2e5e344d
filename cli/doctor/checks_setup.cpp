#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "cli/doctor/checks.h"

namespace gprofx {
namespace {

namespace fs = std::filesystem;

constexpr char kAgentName[] = "libgprofx-agent.so";
constexpr uint64_t kLittleDisk = uint64_t{200} << 20, kNoDisk = uint64_t{5} << 20;
constexpr int kPythonMilliseconds = 3000;

std::string Megabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

// Interpreters of PATH, each file once.
std::vector<std::string> PythonsOnPath() {
  std::vector<std::string> names = {"python3", "python"};
  for (int minor = 6; minor <= 16; ++minor) names.push_back("python3." + std::to_string(minor));
  const char* path = getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
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

// Where the dynamic linker and PyTorch's packages find CUPTI.
std::optional<std::string> FindCupti() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(library);
      return name;
    }
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = getenv(variable);
    if (home == nullptr) continue;
    for (const char* folder : {"/extras/CUPTI/lib64", "/lib64"}) {
      const std::string path = std::string(home) + folder + "/libcupti.so";
      if (access(path.c_str(), R_OK) == 0) return path;
    }
  }
  for (const char* folder : {"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64"}) {
    const std::string path = std::string(folder) + "/libcupti.so";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return std::nullopt;
}

}  // namespace

Check CheckAgent() {
  Check check{"agent", Health::kOk, "", ""};
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  // Both an installation and a build tree have bin/gprof-x and lib/gprof-x/.
  const fs::path agent = (folder / ".." / "lib" / "gprof-x" / kAgentName).lexically_normal();
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
  return {"C library", Health::kOk, std::string("glibc ") + gnu_get_libc_version(), ""};
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
  const auto version = ReadSmallFile("/proc/driver/nvidia/version");
  if (!version) return {{"GPU", Health::kOk, "no NVIDIA driver is loaded", ""}};
  std::vector<Check> checks = {{"GPU", Health::kOk, FirstLine(*version), ""}};
  const auto params = ReadSmallFile("/proc/driver/nvidia/params");
  const bool restricted =
      params && params->find("RmProfilingAdminOnly: 1") != std::string::npos && geteuid() != 0;
  if (restricted) {
    checks.push_back({"GPU counters", Health::kWarn, "only root may sample inside kernels",
                      "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
                      "/etc/modprobe.d/gprof-x.conf && sudo reboot"});
  } else {
    checks.push_back({"GPU counters", Health::kOk, "may be read by this user", ""});
  }
  if (const auto cupti = FindCupti()) {
    checks.push_back({"CUPTI", Health::kOk, *cupti, ""});
  } else {
    checks.push_back({"CUPTI", Health::kWarn, "libcupti is not found by the dynamic linker",
                      "python3 -m pip install nvidia-cuda-cupti"});
  }
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
