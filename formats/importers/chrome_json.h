// Parses the JSON of a Chrome trace as a stream. Passes on its events one by one, and returns the
// few other facts that are needed. If the top level is an array of events, its end may be missing.
// Everything else is skipped, because traces carry environments, package lists and command lines.
//
// Memory does not depend on the size of the file, because texts longer than kLongestText are an
// error. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/chrome_event.h"

namespace gprofx::importers {

struct ChromeDevice {
  int64_t number = -1, memory_bytes = 0, compute_major = 0, compute_minor = 0;
  int64_t multiprocessors = 0, threads_per_multiprocessor = 0, warp_threads = 0;
  std::string name;
};

struct ChromeFacts {
  bool is_kineto = false;  // the file has a schema version, which only Kineto writes
  int64_t rank = -1;
  std::optional<int64_t> base_ns;  // CLOCK_REALTIME at time 0 of the trace
  std::string host;
  int64_t mended = 0;         // number of replacements (json_mender.h)
  bool is_cut_event = false;  // the file ends within an event, which is left out
  int64_t not_events = 0;     // number of elements of the array of events that are not objects
  int64_t unnamed_ids = 0;    // number of text ids beyond the limit; they all share one number
};

struct ChromeSink {
  std::function<void(const ChromeEvent&)> event;
  std::function<void(const ChromeDevice&)> device;
};

// Passes the events to `sink` and returns the facts. `path` is used only in error messages.
Result<ChromeFacts> ReadChromeJson(ByteSource& source, const std::string& path,
                                   const ChromeSink& sink);

}  // namespace gprofx::importers
