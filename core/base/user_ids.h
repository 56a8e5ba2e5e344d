// Reads the user and group ids of a process from the text of its /proc/PID/status.
//
// The ids are those in the user namespace of the process that read the file. Pure; any thread.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace gprofx {

struct CredentialIds {
  uint32_t real = 0, effective = 0, saved = 0, file_system = 0;

  bool operator==(const CredentialIds&) const = default;
  bool AreAll(uint32_t id) const { return *this == CredentialIds{id, id, id, id}; }
};

struct ProcessIds {
  CredentialIds users, groups;
  std::vector<uint32_t> supplementary;  // groups, in the order of the file

  bool operator==(const ProcessIds&) const = default;
};

// Returns the numbers in the line that begins with `name`, such as "Uid:". The result is empty if
// the line is missing or incomplete, or if it contains anything but numbers. A program cannot forge
// such a line with its name, which the file also contains: the kernel escapes line feeds in names.
inline std::vector<uint32_t> NumbersInStatus(std::string_view status, std::string_view name) {
  for (size_t end = status.find('\n'); end != std::string_view::npos; end = status.find('\n')) {
    std::string_view line = status.substr(0, end);
    status.remove_prefix(end + 1);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    std::vector<uint32_t> numbers;
    for (size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
         at = line.find_first_not_of(" \t")) {
      line.remove_prefix(at);
      uint32_t number = 0;
      const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
      if (read.ec != std::errc()) return {};
      numbers.push_back(number);
      line.remove_prefix(static_cast<size_t>(read.ptr - line.data()));
    }
    return numbers;
  }
  return {};
}

// Returns the ids; no value if the line Uid or Gid is missing. If the line Groups is incomplete,
// the result has no supplementary groups. A file that cannot be parsed can therefore only give
// fewer rights, never more.
inline std::optional<ProcessIds> IdsInStatus(std::string_view status) {
  const std::vector<uint32_t> users = NumbersInStatus(status, "Uid:");
  const std::vector<uint32_t> groups = NumbersInStatus(status, "Gid:");
  if (users.size() != 4 || groups.size() != 4) return std::nullopt;
  return ProcessIds{{users[0], users[1], users[2], users[3]},
                    {groups[0], groups[1], groups[2], groups[3]},
                    NumbersInStatus(status, "Groups:")};
}

}  // namespace gprofx
