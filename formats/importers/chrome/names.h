// Collects the names of processes and threads in a Chrome trace. Names may come before or after the
// events.
//
// In a JAX trace, the names show the GPUs: a process "/device:GPU:0" has threads "Stream #7". If
// there are too many names, further ones are only counted. One thread; `gather` must outlive the
// object.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "formats/importers/chrome_event.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

inline int64_t PidOf(const ChromeEvent& event) { return event.pid.value_or(0); }
inline int64_t TidOf(const ChromeEvent& event) { return event.tid.value_or(0); }
inline std::pair<int64_t, int64_t> RowOf(const ChromeEvent& event) {
  return {PidOf(event), TidOf(event)};
}

class ChromeNames {
 public:
  using Row = std::pair<int64_t, int64_t>;  // process and thread

  explicit ChromeNames(TraceGather& gather) : gather_(gather) {}

  void NoteWords(const ChromeEvent& event);  // call it for every event
  void Take(const ChromeEvent& event);       // call it for every metadata event ("M")
  // Passes all names to `gather`. Call it after the last event.
  void Describe();

  bool HasProcess(int64_t pid) const { return process_names_.contains(pid); }
  std::optional<uint32_t> JaxDevice(int64_t pid);
  // Returns the number of the stream that a row of a JAX device shows. No value for other rows. A
  // TPU has no streams; its row of operations is stream 0.
  std::optional<uint32_t> JaxStream(Row row) const;
  bool has_jax_devices() const { return has_jax_devices_; }  // true if JaxDevice has found a device

 private:
  template <class Key>
  void Keep(std::map<Key, std::string>& names, Key key, const std::string& name, const char* what);

  TraceGather& gather_;
  std::map<int64_t, std::string> process_names_, process_words_;
  std::map<Row, std::string> thread_names_, thread_words_;
  bool has_jax_devices_ = false;
};

}  // namespace gprofx::importers
