// Writes an export to a new file or to a descriptor such as stdout. A file appears under its name
// when it is complete.
//
// Files are private (0600). Links, directories and profiles are never overwritten, other files only
// on request. After an error, or a signal that ends the program, an existing file is unchanged and
// no new file is left. An error is one line that says what to do. Blocking; SIGPIPE must be
// ignored.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "formats/exporters/exporter.h"

namespace gprofx::exporters {

// Writes the export to `path` and returns the size of the file in bytes. If `replace` is true, an
// existing file is overwritten.
Result<int64_t> ExportToFile(const Exporter& exporter, const ExportJob& job,
                             const std::string& path, bool replace);

Status ExportToDescriptor(const Exporter& exporter, const ExportJob& job, int fd);

}  // namespace gprofx::exporters
