// Declares the classes of errors. Each has an id, such as GX-0205 (core/base/error_id.h), a cause
// and a remedy. gprof-x-errors(7) lists all of them; 'gprof-x help GX-0205' prints one. Constant
// data; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/error_id.h"

namespace gprofx {

struct ErrorClass {
  ErrorId id;
  const char* cause;    // a sentence
  const char* way_out;  // the remedy, a sentence
};

std::span<const ErrorClass> ErrorCatalogue();

// Returns the class with this id, in upper or lower case. Returns nullptr if there is none.
const ErrorClass* ClassWithId(std::string_view id);

// Return the texts that 'gprof-x help GX-0205' and 'gprof-x help errors' print.
std::string ErrorHelp(const ErrorClass& found);
std::string AllErrorsHelp();

}  // namespace gprofx
