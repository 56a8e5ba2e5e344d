// Files of events for core/variability, whoever wrote them: profiles (.gprofx), exports of Nsight
// Systems (SQLite), traces of PyTorch's profiler (JSON, packed or not) and tables of Nsight Compute
// (CSV of the page raw). Errors are one line with the way out. Blocking; any thread, one per
// object.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/variability/source.h"

namespace gprofx {

// By its first bytes.
Result<std::unique_ptr<variability::EventFile>> OpenEventFile(const std::string& path);

// What ranks divide files by: size and format, no more. A file that is not there has no size;
// opening it says so.
variability::FileEntry EntryOf(const std::string& path);

// One of each, by who wrote it. Used inside formats/variability.
using OpenedEvents = Result<std::unique_ptr<variability::EventFile>>;
OpenedEvents OpenProfileEvents(const std::string& path);
OpenedEvents OpenNsightEvents(const std::string& path);
OpenedEvents OpenChromeEvents(const std::string& path);
OpenedEvents OpenComputeEvents(const std::string& path);

}  // namespace gprofx
