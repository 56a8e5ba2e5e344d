// Chooses and claims the file that a recording writes.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "formats/profile/profile_db.h"

namespace gprofx::recorder {

constexpr char kUsualName[] = "profile.gprofx";

struct WantedFile {
  std::string path = kUsualName;
  bool named = false;  // the user named the file: do not fall back to another name
  bool force = false;  // replace a file that is not a profile
};

// Claims the right to write the file. If the user named none and another recording writes the
// default, falls back to the first free numbered name; ProfileWriter::path returns the name used.
Result<ProfileWriter> ClaimProfile(const WantedFile& wanted);

// Inserts a number before the extension: "profile.gprofx" gives "profile.2.gprofx".
std::string NumberedName(std::string_view name, int number);

}  // namespace gprofx::recorder
