// Where an export goes: a new file that appears when it is whole, or a descriptor such as stdout.
//
// Files are private (0600); links, folders and profiles are never written over, other files only
// when that was asked for. After an error, and after a signal that ends the program, what was there
// is as it was. Errors are one line with the way out. Blocking; SIGPIPE must be ignored.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "formats/exporters/exporter.h"

namespace gprofx::exporters {

// The size of the file in bytes. `replace`: a file that is there.
Result<int64_t> ExportToFile(const Exporter& exporter, const ExportJob& job,
                             const std::string& path, bool replace);

Status ExportToDescriptor(const Exporter& exporter, const ExportJob& job, int fd);

}  // namespace gprofx::exporters
