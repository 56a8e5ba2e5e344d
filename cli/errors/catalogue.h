// The classes of error messages. Each class has an id, such as GX-0205, that is stable across
// versions, a cause and a remedy. gprof-x-errors(7) lists all classes; 'gprof-x help GX-0205'
// prints one.
//
// Code that fails creates an Error from what it knows and names no id. The class is found by
// matching the message when it is printed. tests/unit/cli/check_errors.py verifies that every
// message in the sources has a class, and that every line of a class matches a place in the
// sources. Constant data; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx {

struct ErrorClass {
  const char* id;
  const char* cause;    // a sentence
  const char* way_out;  // a sentence
  const char* lines;    // patterns of Error::what, one per line; '*' matches any text
};

std::span<const ErrorClass> ErrorCatalogue();

// Returns the class with the most specific line that matches `what`; nullptr if none matches.
const ErrorClass* ClassOf(std::string_view what);

// Returns nullptr if there is no such id. Ignores case.
const ErrorClass* ClassWithId(std::string_view id);

// Returns "what; fix [GX-0205]".
std::string TextWithId(const Error& error);

// Returns " [GX-0205]", to append to a line that says more than the error; "" if no class matches.
std::string IdMark(const Error& error);

// The output of 'gprof-x help GX-0205' and of 'gprof-x help errors'.
std::string ErrorHelp(const ErrorClass& found);
std::string AllErrorsHelp();

}  // namespace gprofx
