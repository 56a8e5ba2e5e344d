// Finds the text of source lines, for tables that show where the time went. Pure; one thread.
//
// Uses only texts in the recording and never opens the source file itself. A profile may name any
// file, and that file may have changed since.
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
  // Both arguments must outlive this object. If a path has several texts, the first one is used.
  SourceLines(const Profile& profile, const std::vector<SourceText>& sources);

  bool empty() const { return files_.empty(); }

  // Returns the text of a file. Returns nullptr if the recording does not contain it.
  const std::string* Text(std::string_view file) const;

  // Returns line `line` (counted from 1) of a file, without blanks at its ends. Returns "" if the
  // recording does not contain it. Not escaped.
  std::string Line(std::string_view file, uint32_t line);

 private:
  struct File {
    const std::string* text;
    // Index of each line's first byte; empty until a line of the file is requested.
    std::vector<size_t> begins;
  };
  std::map<std::string_view, File> files_;
};

}  // namespace gprofx
