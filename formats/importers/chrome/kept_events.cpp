#include "formats/importers/chrome/kept_events.h"

namespace gprofx::importers {

KeptEvents::TextId KeptEvents::IdOf(const std::string& text) {
  const auto [found, is_new] = ids_.try_emplace(text, static_cast<TextId>(texts_.size()));
  if (is_new) texts_.push_back(&found->first);
  return found->second;
}

void KeptEvents::Add(const ChromeEvent& event) {
  Kept kept;
  kept.pid = event.pid;
  kept.tid = event.tid;
  kept.start = event.start.value_or(0);
  kept.duration = event.duration.value_or(0);
  kept.correlation = event.correlation;
  kept.device = event.device;
  kept.context = event.context;
  kept.stream = event.stream;
  kept.bytes = event.bytes;
  kept.name = IdOf(event.name);
  kept.pid_word = IdOf(event.pid_word);
  kept.tid_word = IdOf(event.tid_word);
  kept.kernel_details = IdOf(event.kernel_details);
  kept.copy_details = IdOf(event.copy_details);
  events_.push_back(kept);
}

void KeptEvents::TakeAll(const std::function<void(const ChromeEvent&)>& take) {
  ChromeEvent event;
  for (; !events_.empty(); events_.pop_front()) {
    const Kept& kept = events_.front();
    event.Clear();
    event.pid = kept.pid;
    event.tid = kept.tid;
    event.start = kept.start;
    event.duration = kept.duration;
    event.correlation = kept.correlation;
    event.device = kept.device;
    event.context = kept.context;
    event.stream = kept.stream;
    event.bytes = kept.bytes;
    event.name = *texts_[kept.name];
    event.pid_word = *texts_[kept.pid_word];
    event.tid_word = *texts_[kept.tid_word];
    event.kernel_details = *texts_[kept.kernel_details];
    event.copy_details = *texts_[kept.copy_details];
    take(event);
  }
}

}  // namespace gprofx::importers
