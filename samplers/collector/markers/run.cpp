#include "samplers/collector/markers/run.h"

namespace gprofx {

void MarkerCounts::Add(const MarkerCounts& more) {
  markers += more.markers;
  dropped += more.dropped;
  unmatched += more.unmatched;
  left_out += more.left_out;
  open += more.open;
  without_thread += more.without_thread;
  bad += more.bad;
}

StringId MarkerRun::Name(std::string_view text) {
  if (text.empty()) return {};
  const auto found = names_.find(std::string(text));
  if (found != names_.end()) return found->second;
  if (names_.size() >= kMaxNames) return profile_.Intern("[too many names]");
  const StringId id = profile_.Intern(text);
  names_.emplace(text, id);
  return id;
}

void MarkerRun::Add(const MarkerEvent& row) {
  rows_.Append(row);
  ++counts_.markers;
}

EventTable MarkerRun::TakeRows() { return std::exchange(rows_, EventTable(Stream::kMarkers)); }

void MarkerRun::Publish(std::map<std::string, int64_t>& quality) const {
  const MarkerCounts& c = counts_;
  if (c.markers + c.left_out + c.dropped + c.unmatched + c.open + c.without_thread + c.bad == 0)
    return;
  quality["markers"] = c.markers;
  quality["markers_dropped"] = c.dropped;
  quality["markers_left_out"] = c.left_out;
  quality["markers_unmatched"] = c.unmatched;
  quality["markers_open"] = c.open;
  quality["markers_without_thread"] = c.without_thread;
  quality["markers_bad"] = c.bad;
}

}  // namespace gprofx
