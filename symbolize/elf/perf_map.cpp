#include "symbolize/elf/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr size_t kLongestLine = 64 << 10;

bool TakeHex(std::string_view& line, uint64_t& value) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc{} || rest == line.data() + line.size() || *rest != ' ') return false;
  line.remove_prefix(static_cast<size_t>(rest - line.data()) + 1);
  return true;
}

}  // namespace

bool PerfMap::Feed(std::string_view piece) {
  bool replaced = false;
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
    if (skipping_ || rest_.size() + part.size() > kLongestLine) {
      skipped_lines_ += skipping_ ? 0 : 1;
      rest_.clear();
      skipping_ = end == std::string_view::npos;
    } else if (end == std::string_view::npos) {
      rest_ += part;
    } else if (rest_.empty()) {
      replaced |= TakeLine(part);
    } else {
      rest_ += part;
      replaced |= TakeLine(rest_);
      rest_.clear();
    }
  }
  return replaced;
}

void PerfMap::Finish() {
  TakeLine(rest_);
  rest_.clear();
}

bool PerfMap::TakeLine(std::string_view line) {
  if (line.empty()) return false;
  uint64_t start = 0, size = 0;
  const bool numbers = TakeHex(line, start) && TakeHex(line, size);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (!numbers || line.empty() || size == 0 ||
      size > std::numeric_limits<uint64_t>::max() - start || ranges_.size() >= kMaxEntries) {
    ++skipped_lines_;
    return false;
  }
  return Insert(start, start + size, line.substr(0, kLongestName));
}

bool PerfMap::Insert(uint64_t start, uint64_t end, std::string_view name) {
  bool replaced = false;
  auto at = ranges_.upper_bound(start);
  if (at != ranges_.begin() && std::prev(at)->second.end > start) --at;
  while (at != ranges_.end() && at->first < end) {
    const uint64_t old_start = at->first;
    Range old = std::move(at->second);
    replaced |= old.name != name;
    at = ranges_.erase(at);
    if (old_start < start) ranges_.emplace_hint(at, old_start, Range{start, old.name});
    if (old.end > end) at = ranges_.emplace_hint(at, end, Range{old.end, std::move(old.name)});
  }
  ranges_.emplace_hint(at, start, Range{end, std::string(name)});
  return replaced;
}

std::string_view PerfMap::Find(uint64_t address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return {};
  const Range& range = std::prev(after)->second;
  return address < range.end ? std::string_view(range.name) : std::string_view();
}

Result<UniqueFd> OpenPerfMap(int folder, const std::string& name, uid_t owner) {
  UniqueFd file = OpenRegularFile(folder, name, O_NOFOLLOW);
  if (!file && errno == EINVAL) {
    return Error{ErrorId::kWrongFileType, name + ": is not a regular file"};
  }
  struct stat info = {};
  if (!file || fstat(file.get(), &info) != 0) {
    return Error{ErrorId::kCannotRead, name + ": " + std::strerror(errno)};
  }
  if (info.st_uid != owner) {
    return Error{ErrorId::kCannotRead, name + ": belongs to another user and is not read",
                 "run as that user, or remove the file"};
  }
  return file;
}

}  // namespace gprofx
