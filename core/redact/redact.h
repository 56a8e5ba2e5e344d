// Removes from a profile what identifies its owner. Used for files and reports that are given to
// others.
//
// Names become hashes under a key (core/redact/name_redactor.h). Profiles redacted with the same
// key can be compared. Paths, file names, arguments, host, processes, threads, functions, C++
// names, markers and operators are hashed, unless core/redact/public_names.h has them in an exact
// list. Sources, kernel code and everything not known to be harmless (meta entries with unknown
// names, messages) are left out. Numbers are kept: times, counts, lines, addresses, process ids.
// Redacting twice has the same result as once.
//
// Other data in the file must be translated or left out. Translate rows of streams with
// Redaction::Translate. Leave out findings and tables of analyses, because they contain sentences.
// Pure; one thread.
#pragma once

#include <string_view>

#include "core/events/events.h"
#include "core/model/merge.h"
#include "core/model/profile.h"
#include "core/redact/name_redactor.h"

namespace gprofx {

struct Redaction {
  Profile profile;
  IdMaps maps;  // new ids of the rows of the original
  NameRedactor names;

  // Translates rows of a stream of the original, in place. Texts are redacted and added to
  // `profile` if needed.
  void Translate(const Profile& original, EventTable& rows);
};

// Redacts `original`. gpu.cubins must be those of the file; their code is left out. Keep `key`
// secret: with it, anyone can check a guess of a name.
Redaction Redact(const Profile& original, std::string_view key);

}  // namespace gprofx
