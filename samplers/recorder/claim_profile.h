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
  bool named = false;  // the user named the file, so no other name may be used
  bool force = false;  // an existing file may be replaced even if it is not a profile
};

// Claims the right to write the file. If the user named none and another recording writes the
// default one, claims the first free numbered name instead. ProfileWriter::path returns the name
// that is used.
Result<ProfileWriter> ClaimProfile(const WantedFile& wanted);

// Inserts a number before the extension of a file name: "profile.gprofx" gives "profile.2.gprofx".
std::string NumberedName(std::string_view name, int number);

}  // namespace gprofx::recorder
