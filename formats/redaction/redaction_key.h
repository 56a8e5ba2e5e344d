// The key under which names are hashed (core/redact/name_redactor.h). It is in no file that gprof-x
// writes. Errors are one line with the way out. Blocking.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

// Random, the same for all that this process redacts. Any thread.
Result<std::string> RandomKey();

// The bytes of the file, 16 to 4096 of them.
Result<std::string> ReadKey(const std::string& path);

}  // namespace gprofx
