// The text of source lines, for tables that show where the time went. Reads files; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

class SourceLines {
 public:
  explicit SourceLines(const Profile& profile) : profile_(profile) {}

  // Returns a line (from 1) of a file, without the blanks around it; "" if it has none, if the file
  // cannot be read, or if it was changed after the recording began. The profile's own copy of a
  // file precedes the file. Not escaped.
  std::string Line(std::string_view file, uint32_t line);

 private:
  using Lines = std::vector<std::string>;
  const Lines& LinesOf(std::string_view file);

  const Profile& profile_;
  std::map<std::string, Lines, std::less<>> files_;
};

}  // namespace gprofx
