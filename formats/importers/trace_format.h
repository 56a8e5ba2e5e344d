// Lists the formats of traces that can be imported, and detects the format of a file. Blocking; one
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::importers {

enum class TraceFormat { kNsight, kRocpd, kChrome, kPerfScript, kCollapsed, kSpeedscope, kFirefox };

// Returns the format with this name (see kTraceFormats); no value for any other name.
std::optional<TraceFormat> ParseTraceFormat(std::string_view name);
inline constexpr char kTraceFormats[] =
    "nsight, rocprof, kineto, jax, perf, austin, py-spy, collapsed, speedscope or firefox";

// Detects the format of a file by its first bytes. Returns an error for formats that cannot be
// imported. If such a format is known, the error says what to do.
Result<TraceFormat> DetectTraceFormat(const std::string& path);

}  // namespace gprofx::importers
