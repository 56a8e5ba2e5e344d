#include "samplers/collector/processes/jit_names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {
namespace {

// Maximum time for one reading of a map; the second one is for a process of another user. Rings
// hold four seconds of samples, so reading must take less.
constexpr std::chrono::milliseconds kMaxTime{2000}, kMaxForeignTime{50};
constexpr size_t kPiece = 1 << 20;

}  // namespace

void JitNames::Begin(int64_t pid, int64_t not_before) {
  not_before_ = not_before;
  const std::string process = "/proc/" + std::to_string(pid);
  const std::string status = ReadSmallFile(process + "/status").value_or("");
  const int64_t own = NumberForItself(status).value_or(pid);
  file_name_ = "perf-" + std::to_string(own) + ".map";
  path_ = "/tmp/" + file_name_;
  const std::optional<ProcessUser> user = UserInStatus(status);
  owner_ = user ? user->user : geteuid();
  // The folder must not be a symbolic link. An absolute link would lead out of the root directory
  // of the process.
  folder_ = UniqueFd(
      open((process + "/root/tmp").c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder_ && own == pid) folder_ = UniqueFd(open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool JitNames::Open() {
  if (file_ || !folder_) return static_cast<bool>(file_);
  auto file = OpenPerfMap(folder_.get(), file_name_, owner_);
  struct stat info {};
  if (!file || fstat(file->get(), &info) != 0 || info.st_mtim.tv_sec < not_before_) return false;
  file_ = std::move(*file);
  return true;
}

bool JitNames::Read(const std::vector<uint64_t>& addresses, uint64_t most, bool end) {
  if (addresses.empty() || !Open()) return false;  // without a map, the frames keep their addresses
  // Name these addresses before new lines are read. The lines that were read so far apply to them.
  Name(addresses);
  struct stat info {};
  if (fstat(file_.get(), &info) != 0) return false;
  const auto size = static_cast<uint64_t>(std::max<off_t>(info.st_size, 0));
  bool replaced = false;
  if (size < read_) {  // the file is shorter: the process's next program writes a new map
    map_ = PerfMap();
    read_ = 0;
    replaced = true;
  }
  const auto deadline = std::chrono::steady_clock::now() + (foreign_ ? kMaxForeignTime : kMaxTime);
  const uint64_t until = std::min({size, read_ + most, foreign_ ? kMaxForeignBytes : kMaxBytes});
  std::string piece;
  while (read_ < until && std::chrono::steady_clock::now() < deadline) {
    piece.resize(std::min<uint64_t>(kPiece, until - read_));
    const ssize_t got = pread(file_.get(), piece.data(), piece.size(), static_cast<off_t>(read_));
    if (got <= 0) break;
    read_ += static_cast<uint64_t>(got);
    replaced |= map_.Feed(std::string_view(piece).substr(0, static_cast<size_t>(got)));
  }
  if (end) map_.Finish();
  const auto is_other = [this](uint64_t address) {
    const auto known = names_.find(address);
    return known != names_.end() && known->second[0].function != map_.Find(address);
  };
  const bool changed = replaced && std::any_of(addresses.begin(), addresses.end(), is_other);
  Name(addresses);
  return changed;
}

void JitNames::Name(const std::vector<uint64_t>& addresses) {
  for (const uint64_t address : addresses) {
    if (names_.contains(address)) continue;
    const std::string_view name = map_.Find(address);
    if (name.empty()) continue;
    SourceFrame source;
    source.function = name;
    names_[address] = {source};
  }
}

}  // namespace gprofx
