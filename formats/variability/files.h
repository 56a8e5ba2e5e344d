// Opens event files for core/variability. They are profiles (.gprofx), exports of Nsight Systems
// (SQLite), traces of PyTorch's profiler (JSON, with or without gzip) and tables of Nsight Compute
// (CSV, --page raw). An error is one line that says what to do. Blocking; any thread, one per
// object.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/variability/source.h"

namespace gprofx {

// Opens a file. Detects its format by the first bytes.
Result<std::unique_ptr<variability::EventFile>> OpenEventFile(const std::string& path);

// Returns an entry with the size of a file and the number of parts into which ranks may divide it.
// The size of a missing file is 0; opening the file then reports the error.
variability::FileEntry EntryOf(const std::string& path);

// The functions that read the formats. Used inside formats/variability.
using OpenedEvents = Result<std::unique_ptr<variability::EventFile>>;
OpenedEvents OpenProfileEvents(const std::string& path);
OpenedEvents OpenNsightEvents(const std::string& path);
OpenedEvents OpenChromeEvents(const std::string& path);
OpenedEvents OpenComputeEvents(const std::string& path);

}  // namespace gprofx
