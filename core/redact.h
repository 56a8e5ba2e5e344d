// A profile without what tells whose it is: a pure transform, for files and reports that leave the
// house.
//
// Names become hashes: the same name has the same hash in every profile, so that redacted profiles
// can be compared. Paths, file names, arguments, host, processes, threads, functions, C++ names,
// markers and operators are hashed unless core/public_names.h knows them as everybody's: system
// libraries, the interpreter, well-known packages, names of CUDA calls and of kernel libraries.
// Sources, code of kernels and everything that is not known to be harmless (facts by unknown names,
// messages) are left out. Numbers stay: times, counts, lines, addresses, ids of processes.
//
// What is in the file besides the profile is to be translated or left out: rows of streams through
// Redaction::Translate; findings and tables of analyses hold sentences, and are left out. Pure; one
// thread.
#pragma once

#include <string>
#include <string_view>

#include "core/events.h"
#include "core/merge.h"
#include "core/profile.h"

namespace gprofx {

// "3fa9c81b02d4": the first 48 bits of SHA-256.
std::string NameHash(std::string_view name);

// Whatever it was, "path/3fa9c81b02d4.py": the ending stays where it says the language only.
std::string RedactPath(std::string_view path);
std::string RedactKernel(std::string_view name);

struct Redaction {
  Profile profile;
  IdMaps maps;  // of the original's rows

  // Rows of a stream of the original. Texts in them become those of the redacted profile, which may
  // grow.
  void Translate(const Profile& original, EventTable& rows);
};

// gpu.cubins must be those of the file, their code is left out.
Redaction Redact(const Profile& original);

}  // namespace gprofx
