// The names of processes and threads in a Chrome trace, which may come before or after the events.
//
// JAX says by them what is a GPU: the process "/device:GPU:0" and its threads "Stream #7". Names
// beyond a limit are counted. One thread; the gather must outlive the object.
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

  void NoteWords(const ChromeEvent& event);  // of every event
  void Take(const ChromeEvent& event);       // an M event
  // Gives the gather all names. Call at the end.
  void Describe();

  bool HasProcess(int64_t pid) const { return process_names_.contains(pid); }
  std::optional<uint32_t> JaxDevice(int64_t pid);
  // The stream of a row of a JAX device. A TPU has none, but its operations.
  std::optional<uint32_t> JaxStream(Row row) const;
  bool has_jax_devices() const { return has_jax_devices_; }  // JaxDevice has found one

 private:
  template <class Key>
  void Keep(std::map<Key, std::string>& names, Key key, const std::string& name, const char* what);

  TraceGather& gather_;
  std::map<int64_t, std::string> process_names_, process_words_;
  std::map<Row, std::string> thread_names_, thread_words_;
  bool has_jax_devices_ = false;
};

}  // namespace gprofx::importers
