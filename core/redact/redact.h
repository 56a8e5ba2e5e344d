// A profile without what tells whose it is: a pure transform, for files and reports that leave the
// house.
//
// Names become hashes under a key (core/redact/name_redactor.h): profiles redacted with the same
// key can be compared. Paths, file names, arguments, host, processes, threads, functions, C++
// names, markers and operators are hashed unless core/redact/public_names.h has them in an exact
// list. Sources, code of kernels and everything that is not known to be harmless (facts by unknown
// names, messages) are left out. Numbers stay: times, counts, lines, addresses, ids of processes.
// Redacting twice is as once.
//
// What is in the file besides the profile is to be translated or left out: rows of streams through
// Redaction::Translate; findings and tables of analyses hold sentences, and are left out. Pure; one
// thread.
#pragma once

#include <string_view>

#include "core/events/events.h"
#include "core/model/merge.h"
#include "core/model/profile.h"
#include "core/redact/name_redactor.h"

namespace gprofx {

struct Redaction {
  Profile profile;
  IdMaps maps;  // of the original's rows
  NameRedactor names;

  // Rows of a stream of the original. Texts in them become those of the redacted profile, which may
  // grow.
  void Translate(const Profile& original, EventTable& rows);
};

// gpu.cubins must be those of the file, their code is left out.
// Whoever has `key` can check guesses.
Redaction Redact(const Profile& original, std::string_view key);

}  // namespace gprofx
