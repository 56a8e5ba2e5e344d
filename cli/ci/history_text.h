// Formats the versions and times of a history, the same in text and on pages. Pure.
#pragma once

#include <string>

namespace gprofx {

// Returns the name of a version for people: commits are shortened as git does. Escaped for a
// terminal.
std::string VersionText(const std::string& name);

// Returns the place of a change: "between V and W" if versions between `before` and `at` were not
// measured, otherwise `at`. The names must be results of VersionText().
std::string ChangePlace(const std::string& before, const std::string& at, bool gap);

// Returns a time such as "12.3 us". Shorter times than 10 ns have three digits: "0.312 ns".
std::string ShortTimeText(double ns);

}  // namespace gprofx
