// Provides the key for hashing names (core/redact/name_redactor.h). gprof-x never writes it to a
// file. An error is one line that says what to do. Blocking.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

// Returns a random key, the same for everything that this process redacts. Any thread.
Result<std::string> RandomKey();

// Returns the key in the file at `path`: its content, which must have 16 to 4096 bytes.
Result<std::string> ReadKey(const std::string& path);

}  // namespace gprofx
