// The formats of traces that can be imported, and which of them a file has. Blocking; one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::importers {

enum class TraceFormat { kNsight, kRocpd, kChrome, kPerfScript, kCollapsed, kSpeedscope, kFirefox };

// The words of kTraceFormats.
std::optional<TraceFormat> ParseTraceFormat(std::string_view name);
inline constexpr char kTraceFormats[] =
    "nsight, rocprof, kineto, jax, perf, austin, py-spy, collapsed, speedscope or firefox";

// Detects the format by the first bytes. Any other format is an error; if that format is known, the
// error says what to do.
Result<TraceFormat> DetectTraceFormat(const std::string& path);

}  // namespace gprofx::importers
