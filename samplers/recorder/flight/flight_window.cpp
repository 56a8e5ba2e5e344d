#include "samplers/recorder/flight/flight_window.h"

#include <algorithm>

#include "core/model/merge_facts.h"

namespace gprofx::recorder {

void FlightWindow::Follow(HostNs now, const Profile& profile) {
  if (now - marks_.back().time < last_ / kParts) return;
  Mark& mark = marks_.emplace_back();
  mark.time = now;
  mark.quality = profile.quality;
  for (const Thread& thread : profile.threads) {
    mark.threads.emplace_back(thread.cpu_ns, thread.lost_ns);
  }
  while (marks_.size() > 1 && marks_[1].time <= now - last_) marks_.pop_front();
}

HostNs FlightWindow::Cut(HostNs now, HostNs complete_from, Profile& profile) const {
  const Mark* begin = &marks_.front();
  for (const Mark& mark : marks_) {
    const bool missing = begin->time < complete_from;
    if (missing || mark.time <= now - last_) begin = &mark;
  }
  for (auto& [name, value] : profile.quality) {
    const auto before = begin->quality.find(name);
    if (before != begin->quality.end() && !HoldsLargest(name)) value -= before->second;
  }
  for (size_t i = 0; i < std::min(begin->threads.size(), profile.threads.size()); ++i) {
    profile.threads[i].cpu_ns -= begin->threads[i].first;
    profile.threads[i].lost_ns -= begin->threads[i].second;
  }
  return begin->time;
}

}  // namespace gprofx::recorder
