// The classes of error lines. Each has an id, such as GX-0205, that stays what it is over versions,
// the cause and a way out; gprof-x-errors(7) lists them, 'gprof-x help GX-0205' prints one.
//
// A place that fails makes an Error of what it knows and names no id: the class is found by the
// line when it is printed. tests/unit/cli/check_errors.py holds that each line of the sources has a
// class, and each line of a class a place in the sources. Constant data; any thread.
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
  const char* lines;    // of Error::what, one a line; '*' stands for any text
};

std::span<const ErrorClass> ErrorCatalogue();

// The class whose line says the most of `what` in its own words; nullptr: none has it.
const ErrorClass* ClassOf(std::string_view what);

// nullptr: there is no such id. Small letters will do.
const ErrorClass* ClassWithId(std::string_view id);

// "what; fix [GX-0205]"
std::string TextWithId(const Error& error);

// " [GX-0205]" for the end of a line that says more than the error; "" where no class has it.
std::string IdMark(const Error& error);

// What 'gprof-x help GX-0205' prints, and 'gprof-x help errors'.
std::string ErrorHelp(const ErrorClass& found);
std::string AllErrorsHelp();

}  // namespace gprofx
