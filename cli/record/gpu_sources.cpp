#include "cli/record/gpu_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "samplers/collector/unique_fd.h"

namespace gprofx {
namespace {

constexpr size_t kMostFiles = 10'000;  // looked at: a cubin may name any number

// Does not block on a pipe, and does not read devices.
std::optional<std::string> ReadRegular(const std::string& path, size_t limit) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text(limit + 1, '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = read(file.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  if (done > limit) return std::nullopt;
  text.resize(done);
  return text;
}

}  // namespace

void KeepSources(const std::set<std::string>& paths, Profile& profile) {
  size_t left = kMostSources, files = 0;
  for (const std::string& path : paths) {
    if (++files > kMostFiles) return;
    auto text = path.starts_with('/') ? ReadRegular(path, kMostSourceFile) : std::nullopt;
    if (!text || text->size() > left) continue;
    left -= text->size();
    profile.gpu.sources.push_back({profile.Intern(path), std::move(*text)});
  }
}

}  // namespace gprofx
