// Runs nvdisasm as a confined process. The code comes from a profile of unknown origin, and
// nvdisasm is not hardened against hostile input.
#include <vector>

#include "cli/annotate/sass.h"
#include "cli/cuda_tool.h"
#include "cli/doctor/checks.h"
#include "cli/temporary_file.h"
#include "core/base/command_output.h"
#include "core/base/file_io.h"
#include "symbolize/sandbox/confined_program.h"

namespace gprofx {
namespace {

constexpr int kMilliseconds = 10'000;
constexpr size_t kMaxOutput = size_t{64} << 20;
constexpr ProgramLimits kLimits{uint64_t{4} << 30, kMilliseconds / 1000};

}  // namespace

std::string FindNvdisasm(const std::function<const char*(const char*)>& env) {
  return FindCudaTool("nvdisasm", env);
}

std::optional<std::map<uint64_t, std::string>> Disassemble(const std::string& nvdisasm,
                                                           std::span<const std::byte> cubin,
                                                           uint32_t function) {
  TemporaryFile file("gprof-x");
  if (!file.file() ||
      !WriteAll(file.file().get(), reinterpret_cast<const char*>(cubin.data()), cubin.size())) {
    return std::nullopt;
  }
  const auto listing =
      CommandOutput({nvdisasm, "-c", "-fun", std::to_string(function), file.name()}, kMilliseconds,
                    {kMaxOutput, false, [] { return ConfineProgram(kLimits); }});
  if (!listing) return std::nullopt;
  auto instructions = ParseSass(*listing);
  if (instructions.empty()) return std::nullopt;
  return instructions;
}

}  // namespace gprofx
