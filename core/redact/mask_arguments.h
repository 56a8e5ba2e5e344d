// Masks secrets in command lines before they are stored or shown. Every profile contains the
// arguments of its programs, and users give profiles to others.
//
// A value is recognized as a secret by its name, by a scheme before it ("Bearer") or by its own
// form. It becomes "***": --password=X, --api-key X, token=X, 'Authorization: Bearer X',
// https://user:X@host, AKIA..., curl -u user:X, mysql -pX, sshpass -p X. Other secrets are not
// found, such as a password that is a separate argument or a key in a file name. Pure, any thread;
// linear in the length of the words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

enum class Arguments { kMasked, kLeftOut };

// Returns the words of a command with secrets masked. With kLeftOut, returns only the program and,
// for an interpreter, its script or module; "..." replaces the other words.
std::vector<std::string> StoredCommand(const std::vector<std::string>& words,
                                       Arguments arguments = Arguments::kMasked);

// Returns a command line, or another text, with secrets masked.
std::string MaskText(std::string_view text);

// True if the text contains a name of a secret, as in os.environ["API_KEY"].
bool NamesSecret(std::string_view text);

}  // namespace gprofx
