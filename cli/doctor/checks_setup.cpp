#include <linux/capability.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/doctor/checks.h"
#include "cli/doctor/places.h"
#include "core/base/command_output.h"
#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/wire/machine/machine.h"

namespace gprofx {
namespace {

namespace fs = std::filesystem;

constexpr char kAgentName[] = "libgprofx-agent.so", kCudaName[] = "libgprofx-cuda.so";
constexpr int kForeignMilliseconds = 10'000;  // long, because CUPTI is a large library
constexpr uint64_t kLittleDisk = uint64_t{200} << 20, kNoDisk = uint64_t{5} << 20;

std::string Megabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string FirstLine(std::string text) { return text.substr(0, text.find('\n')); }

Check CheckCupti() {
  std::vector<std::string> question =
      CuptiCandidates(Variable("GPROFX_CUPTI"), PythonPackages(), CudaHomes());
  question.insert(question.begin(), "cupti");
  const auto answer = AskForeign(std::move(question), kForeignMilliseconds);
  if (!answer) {
    return {"CUPTI", Health::kWarn, "libcupti is not found: the GPU is not recorded",
            "python3 -m pip install nvidia-cuda-cupti", "python3 -m pip install nvidia-cuda-cupti"};
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
  check.detail = agent.string() + " is missing: nothing can be recorded";
  check.fix = "install all of gprof-x: cmake --install BUILD, or unpack the bundle again";
  return check;
}

Check CheckDisk() {
  Check check{"disk", Health::kOk, "", ""};
  struct statvfs info = {};
  if (statvfs(".", &info) != 0) {
    check.health = Health::kFail;
    check.detail = "the free space of the current folder is unknown";
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
  LibcFacts facts;
  facts.can_ask = access(OwnLibrary(kForeignName).c_str(), X_OK) == 0;
  facts.glibc = FirstLine(AskForeign({"libc"}, kForeignMilliseconds).value_or(""));
  facts.glibc_loader = access(wire::kGlibcLoader, F_OK) == 0;
  facts.musl_loader = access(wire::kMuslLoader, F_OK) == 0;
  return JudgeLibc(facts);
}

std::vector<Check> CheckPythons() {
  std::vector<Check> checks;
  for (const std::string& path : PythonsOnPath()) {
    const auto output = CommandOutput({path, "-V"}, kPythonMilliseconds);
    // Skip programs without a version. Version managers put programs on PATH that only print that
    // this Python is not installed.
    const auto version = output ? ParsePythonVersion(*output) : std::nullopt;
    if (!version) continue;
    Check check{"Python", Health::kOk, path, ""};
    if (!IsSupportedPython(*version)) {
      check.health = Health::kWarn;
      check.detail +=
          ": " + FirstLine(*output) + " is not supported: only native frames are recorded";
      check.fix = "use CPython 3.8 to 3.15";
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
  const auto version = ReadSmallFile("/proc/driver/nvidia/version", kMaxFile);
  if (!version && access("/dev/nvidiactl", F_OK) != 0)
    return {{"GPU", Health::kOk, "no NVIDIA driver is loaded", ""}};
  std::vector<Check> checks = {
      {"GPU", Health::kOk, version ? FirstLine(*version) : "an NVIDIA driver of unknown version",
       ""},
      CheckCudaLibrary(),
      JudgeGpuCounters(ReadSmallFile("/proc/driver/nvidia/params", kMaxFile).value_or(""),
                       HasCapability(CAP_SYS_ADMIN)),
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
