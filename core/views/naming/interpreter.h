// Describes functions of the CPython interpreter in words that Python programmers know.
//
// The evaluation loop and the functions that forward calls belong to the running Python line
// (fold.h). Other functions of the interpreter are grouped into families by their task: garbage
// collection, attribute lookup, memory allocation and so on. A family is one row, which says more
// than the names of a hundred static functions. Functions that do what the program asked for
// (sorting, joining strings, the builtins) belong to no family. CPython 3.8 to 3.15. Pure, any
// thread.
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

// Returns the family of a function of libpython or of a python executable. Ignores suffixes of
// clones.
Family InterpreterFamily(std::string_view function);

std::string_view FamilyName(Family family);  // "attribute lookup"; "" for kNone
std::string FamilyTitle(Family family);      // "Python interpreter: attribute lookup"

}  // namespace gprofx
