// Masks secrets in command lines before they are stored or shown: a program's arguments are copied
// into every profile of it, and profiles are passed on.
//
// A value that is marked as a secret by its name, a scheme or its own form becomes "***":
// --password=X, --api-key X, token=X, 'Authorization: Bearer X', https://user:X@host, AKIA...,
// curl -u user:X, mysql -pX, sshpass -p X. Other secrets are not found, such as a password that is
// a separate argument or a key in a file name. Pure, any thread; linear in the length of the words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

enum class Arguments { kMasked, kLeftOut };

// Returns the words of a command with secrets masked. kLeftOut: only the program and, for an
// interpreter, its script or module; "..." stands for the rest.
std::vector<std::string> StoredCommand(const std::vector<std::string>& words,
                                       Arguments arguments = Arguments::kMasked);

// The same for a command line, or another text, in one string.
std::string MaskText(std::string_view text);

// True if a name in the text is that of a secret, as in os.environ["API_KEY"].
bool NamesSecret(std::string_view text);

}  // namespace gprofx
