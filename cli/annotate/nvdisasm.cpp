// The seam to the nvdisasm process.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "cli/annotate/sass.h"
#include "cli/cuda_tool.h"
#include "cli/doctor/checks.h"

namespace gprofx {
namespace {

constexpr int kMilliseconds = 10'000;
constexpr size_t kMostOutput = size_t{64} << 20;

// A file with a name that is gone at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> content) {
    const char* folder = getenv("TMPDIR");
    name_ =
        (folder != nullptr && folder[0] == '/' ? std::string(folder) : "/tmp") + "/gprof-x-XXXXXX";
    const int fd = mkostemp(name_.data(), O_CLOEXEC);
    if (fd < 0) {
      name_.clear();
      return;
    }
    while (!content.empty()) {
      const ssize_t written = write(fd, content.data(), content.size());
      if (written <= 0) break;
      content = content.subspan(static_cast<size_t>(written));
    }
    whole_ = close(fd) == 0 && content.empty();
  }
  ~TemporaryFile() {
    if (!name_.empty()) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool ok() const { return whole_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  bool whole_ = false;
};

}  // namespace

std::string FindNvdisasm(const std::function<const char*(const char*)>& env) {
  return FindCudaTool("nvdisasm", env);
}

std::optional<std::map<uint64_t, std::string>> Disassemble(const std::string& nvdisasm,
                                                           std::span<const std::byte> cubin,
                                                           uint32_t function) {
  const TemporaryFile file(cubin);
  if (!file.ok()) return std::nullopt;
  const auto listing =
      CommandOutput({nvdisasm, "-c", "-fun", std::to_string(function), file.name()}, kMilliseconds,
                    {kMostOutput, false});
  if (!listing) return std::nullopt;
  auto instructions = ParseSass(*listing);
  if (instructions.empty()) return std::nullopt;
  return instructions;
}

}  // namespace gprofx
