// What a function of the CPython interpreter does, in words for people who write Python.
//
// The evaluation loop and what passes calls on belong to the Python line that runs (fold.h). What
// is left of the interpreter's own work - collecting garbage, looking attributes up, handing out
// memory - is a family of functions each: one row tells it, where the names of a hundred static
// functions would not. Functions that do what the program asked for (sorting, joining strings, the
// builtins) are of no family. CPython 3.8 to 3.15. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx {

enum class Family : uint8_t {
  kNone,
  kGc,
  kAttributes,
  kDictionaries,
  kMemory,
  kCalls,
  kOperators,
  kStrings,
  kExceptions,
  kClasses,
  kImport,
  kCompiler,
  kThreads,
  kStart,
  kOther,
};
constexpr size_t kFamilies = static_cast<size_t>(Family::kOther) + 1;

// Of a function of libpython or of a python executable; suffixes of clones are ignored.
Family InterpreterFamily(std::string_view function);

std::string_view FamilyName(Family family);  // "attribute lookup"; "" for kNone
std::string FamilyTitle(Family family);      // "Python interpreter: attribute lookup"

}  // namespace gprofx
