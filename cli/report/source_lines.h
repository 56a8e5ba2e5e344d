// The text of source lines, for tables that show where the time went. Pure; one thread.
//
// Only texts that the recording holds. A file of that name is never read: a profile can name any
// file, and another text may stand there now.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

class SourceLines {
 public:
  // Both must outlive this object. The first of several texts of a path counts.
  SourceLines(const Profile& profile, const std::vector<SourceText>& sources);

  bool empty() const { return files_.empty(); }

  // Returns the text of a file; nullptr if the recording does not hold it.
  const std::string* Text(std::string_view file) const;

  // Returns a line (from 1) of a file, without the blanks around it; "" if the recording does not
  // hold it. Not escaped.
  std::string Line(std::string_view file, uint32_t line);

 private:
  struct File {
    const std::string* text;
    std::vector<size_t> begins;  // of the lines; empty until a line is asked for
  };
  std::map<std::string_view, File> files_;
};

}  // namespace gprofx
