// Command lines without secrets, before they are stored or shown: a program's arguments are copied
// into every profile of it, and profiles are passed on.
//
// A value that its name, a scheme or its own shape marks as a secret becomes "***":
// --password=X, --api-key X, token=X, 'Authorization: Bearer X', https://user:X@host, AKIA...,
// curl -u user:X, mysql -pX, sshpass -p X. Other secrets are not found: a password that is an
// argument of its own, a key in a file's name. Pure, any thread; linear in the length of the words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

enum class Arguments { kMasked, kLeftOut };

// The words of a command, as they may be stored. kLeftOut: the program, and of an interpreter its
// script or module; "..." stands for what was left out.
std::vector<std::string> StoredCommand(const std::vector<std::string>& words,
                                       Arguments arguments = Arguments::kMasked);

// The same of a command line, or another text, that is one string.
std::string MaskText(std::string_view text);

}  // namespace gprofx
