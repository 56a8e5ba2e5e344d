// The classes of errors: for each id, such as GX-0205, a cause and a remedy. gprof-x-errors(7)
// lists all classes; 'gprof-x help GX-0205' prints one. The ids are in core/base/error_id.h.
// Constant data; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/error_id.h"

namespace gprofx {

struct ErrorClass {
  ErrorId id;
  const char* cause;    // a sentence
  const char* way_out;  // a sentence
};

std::span<const ErrorClass> ErrorCatalogue();

// Returns nullptr if there is no such id. Ignores case.
const ErrorClass* ClassWithId(std::string_view id);

// The output of 'gprof-x help GX-0205' and of 'gprof-x help errors'.
std::string ErrorHelp(const ErrorClass& found);
std::string AllErrorsHelp();

}  // namespace gprofx
