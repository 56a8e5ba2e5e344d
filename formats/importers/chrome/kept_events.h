// Keeps events of a Chrome trace until its end, because their kind is not known before. An event
// without a category belongs to a GPU if its process is a GPU, but the name of the process may be
// the last event.
//
// Only the fields that such events use are kept: 112 bytes per event, and each distinct text once.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/importers/chrome_event.h"

namespace gprofx::importers {

class KeptEvents {
 public:
  void Add(const ChromeEvent& event);
  // Passes the events to `take` in the order in which they were added, then forgets them.
  void TakeAll(const std::function<void(const ChromeEvent&)>& take);

 private:
  using TextId = uint32_t;
  struct Kept {
    std::optional<int64_t> pid, tid;
    int64_t start = 0, duration = 0;
    int64_t correlation = 0, device = -1, context = 0, stream = -1, bytes = 0;
    TextId name = 0, pid_word = 0, tid_word = 0, kernel_details = 0, copy_details = 0;
  };

  TextId IdOf(const std::string& text);

  std::deque<Kept> events_;
  std::unordered_map<std::string, TextId> ids_;
  std::vector<const std::string*> texts_;  // keys of ids_
};

}  // namespace gprofx::importers
