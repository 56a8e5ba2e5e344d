#include "symbolize/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <queue>

#include "symbolize/file_handle.h"

namespace gprofx {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;

struct Entry {
  uint64_t start = 0, end = 0;
  uint32_t name_at = 0, name_size = 0;
};

bool TakeHex(std::string_view& line, uint64_t& value) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc{} || rest == line.data() + line.size() || *rest != ' ') return false;
  line.remove_prefix(static_cast<size_t>(rest - line.data()) + 1);
  return true;
}

bool ParseLine(std::string_view line, Entry& entry, std::string_view& name) {
  uint64_t size = 0;
  if (!TakeHex(line, entry.start) || !TakeHex(line, size)) return false;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty() || size == 0 || size > std::numeric_limits<uint64_t>::max() - entry.start)
    return false;
  entry.end = entry.start + size;
  name = line;
  return true;
}

}  // namespace

PerfMap PerfMap::Parse(std::string_view text) {
  PerfMap map;
  std::vector<Entry> entries;  // in file order: the index is the age
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Entry entry;
    std::string_view name;
    if (line.empty()) continue;
    if (!ParseLine(line, entry, name) ||
        map.names_.size() + name.size() > std::numeric_limits<int32_t>::max()) {
      map.skipped_lines_++;
      continue;
    }
    entry.name_at = static_cast<uint32_t>(map.names_.size());
    entry.name_size = static_cast<uint32_t>(name.size());
    map.names_ += name;
    entries.push_back(entry);
  }

  // Sweep over all borders; the youngest entry that is open owns the piece up to the next border.
  std::vector<uint32_t> by_start(entries.size());
  for (uint32_t i = 0; i < by_start.size(); i++) by_start[i] = i;
  std::sort(by_start.begin(), by_start.end(), [&](uint32_t a, uint32_t b) {
    return entries[a].start != entries[b].start ? entries[a].start < entries[b].start : a < b;
  });
  std::priority_queue<uint32_t> open;  // youngest on top; closed ones are dropped when they surface
  uint64_t at = 0;
  size_t next = 0;
  while (next < by_start.size() || !open.empty()) {
    if (open.empty()) at = entries[by_start[next]].start;
    while (next < by_start.size() && entries[by_start[next]].start == at)
      open.push(by_start[next++]);
    const Entry& owner = entries[open.top()];
    uint64_t until = owner.end;
    if (next < by_start.size()) until = std::min(until, entries[by_start[next]].start);
    std::vector<Range>& ranges = map.ranges_;
    const bool continues = !ranges.empty() && ranges.back().end == at &&
                           ranges.back().name_at == owner.name_at &&
                           ranges.back().name_size == owner.name_size;
    if (continues) {
      ranges.back().end = until;
    } else {
      ranges.push_back({at, until, owner.name_at, owner.name_size});
    }
    at = until;
    while (!open.empty() && entries[open.top()].end <= at) open.pop();
  }
  return map;
}

std::string_view PerfMap::Find(uint64_t address) const {
  auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](uint64_t value, const Range& range) { return value < range.start; });
  if (after == ranges_.begin()) return {};
  const Range& range = *--after;
  if (address >= range.end) return {};
  return std::string_view(names_).substr(range.name_at, range.name_size);
}

Result<PerfMap> ReadPerfMap(const std::string& path) {
  const FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info = {};
  if (!file || fstat(file.get(), &info) != 0) return Error{path + ": " + std::strerror(errno), ""};
  if (!S_ISREG(info.st_mode)) return Error{path + ": is not a regular file", ""};
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return Error{path + ": belongs to another user and is not read",
                 "run as that user, or remove the file"};
  }
  if (static_cast<uint64_t>(info.st_size) > kMaxFileBytes) {
    return Error{path + ": is larger than 256 MiB and is not read", "remove the file"};
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  text.resize(ReadUpTo(file.get(), text.data(), text.size()));
  return PerfMap::Parse(text);
}

}  // namespace gprofx
