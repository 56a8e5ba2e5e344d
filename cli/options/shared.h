// The options that several commands have. Each is declared once, so it has the same name, value and
// completions in all commands. Its help is a parameter if it differs between commands.
//
// Reading their values: cli/options/fields.h.
#pragma once

#include "cli/options.h"

namespace gprofx::option {

inline constexpr OptionSpec kHelp = {"help,h", nullptr, nullptr, "Print this help."};
// The help of commands with many options: they also have kHelpAll.
inline constexpr OptionSpec kShortHelp = {"help,h", nullptr, nullptr,
                                          "List the most used options."};
inline constexpr OptionSpec kHelpAll = {"help-all", nullptr, nullptr, "List all options."};

// How the output looks.
constexpr OptionSpec Json(const char* help = "Print stable JSON instead of text.") {
  return {"json", nullptr, nullptr, help};
}
constexpr OptionSpec Limit(const char* help) { return {"limit", "N", nullptr, help}; }
constexpr OptionSpec Wide(
    const char* help = "Do not shorten names. Lines may be wider than the screen.") {
  return {"wide", nullptr, nullptr, help};
}
inline constexpr OptionSpec kColor = {"color", "WHEN", nullptr,
                                      "Use colors: auto, always or never (default: auto).",
                                      "auto always never"};
inline constexpr OptionSpec kNoPager = {"no-pager", nullptr, nullptr, "Do not use a pager."};
inline constexpr OptionSpec kQuiet = {"quiet,q", nullptr, nullptr, "Print only errors."};
constexpr OptionSpec Redact(
    const char* help = "Replace paths, arguments and the names in your code with hashes.") {
  return {"redact", nullptr, nullptr, help};
}

// Files that a command writes.
constexpr OptionSpec Output(const char* help, const char* value = "FILE") {
  return {"output,o", value, nullptr, help};
}
constexpr OptionSpec Force(const char* help) { return {"force", nullptr, nullptr, help}; }
constexpr OptionSpec Html(const char* help, const char* value = "FILE") {
  return {"html", value, nullptr, help};
}
constexpr OptionSpec Sarif(const char* help) { return {"sarif", "FILE", nullptr, help}; }

// Parts of a recording, see ParsePart() in cli/options/part.h.
constexpr OptionSpec Phase(const char* help =
                               "Show only this phase: startup, warmup, steady, end, work or all "
                               "(default: steady if steps were found, all otherwise).") {
  return {"phase", "PHASE", nullptr, help, "all startup warmup steady end work"};
}
constexpr OptionSpec Range(
    const char* help =
        "Show only the time from A to B after the start. Examples: 12s..15s, "
        "800ms.. or ..2.5s.") {
  return {"range", "A..B", nullptr, help};
}
constexpr OptionSpec Steps(const char* help = "Show only steps N to M, counted from 1.") {
  return {"steps", "N..M", nullptr, help};
}
constexpr OptionSpec StepTime(const char* help) { return {"step-time", "TIME", nullptr, help}; }

// What is shown of a recording.
constexpr OptionSpec Metric(const char* help) {
  return {"metric", "NAME", nullptr, help,
          "cpu wall samples cpu_gil cpu_nogil gpu gpu_operations gpu_wait gpu_samples gpu_latency "
          "gpu_memory gpu_allocated gpu_allocations"};
}
constexpr OptionSpec View(const char* help) {
  return {"view", "CODE", nullptr, help, "mixed python native"};
}
inline constexpr OptionSpec kAllFrames = {
    "all-frames", nullptr, nullptr,
    "Include internal frames of the interpreter, the C library and the profiler."};

// How a program is recorded.
inline constexpr OptionSpec kClock = {
    "clock", "cpu|wall", nullptr,
    "Sample CPU time, or wall-clock time including waits (default: cpu)."};
constexpr OptionSpec Frequency(const char* help) { return {"frequency,F", "HZ", nullptr, help}; }
constexpr OptionSpec Gpu(const char* help) { return {"gpu", "auto|trace|pc|off", nullptr, help}; }
constexpr OptionSpec Overhead(const char* help) {
  return {"overhead", "PERCENT|none", nullptr, help};
}
constexpr OptionSpec Children(const char* help) { return {"children", "yes|no", nullptr, help}; }
constexpr OptionSpec Pid(const char* help) { return {"pid,p", "PID", nullptr, help}; }
constexpr OptionSpec Attach(const char* help) { return {"attach", "'WORDS'", nullptr, help}; }
inline constexpr OptionSpec kForceProfile =
    Force("Replace FILE even if it is not a profile. Keep the old file as FILE.old.");

}  // namespace gprofx::option
