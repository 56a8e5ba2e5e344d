#include "formats/importers/chrome/begun_events.h"

#include <algorithm>

namespace gprofx::importers {
namespace {

size_t BytesOf(const ChromeEvent& event) {
  size_t bytes = event.name.size() * 2;  // twice, because it is also a key of by_name
  for (const std::string* text :
       {&event.category, &event.pid_word, &event.tid_word, &event.label, &event.sync_kind,
        &event.kernel_details, &event.copy_details, &event.collective, &event.ranks}) {
    bytes += text->size();
  }
  for (const std::string& type : event.types) bytes += sizeof(type) + type.size();
  for (const TensorShape& shape : event.shapes) bytes += shape.size() * sizeof(int64_t);
  return bytes;
}

}  // namespace

void BegunEvents::Begin(Row row, const ChromeEvent& event) {
  Open& open = rows_[row];
  const size_t bytes = BytesOf(event);
  if (open.beyond > 0 || begun_ >= kMaxBegun || bytes_ + bytes > kMaxBytes) {
    ++open.beyond;
    ++left_out_;
    return;
  }
  open.by_name[event.name].push_back(next_);
  open.events.emplace_hint(open.events.end(), next_, event);
  ++next_;
  ++begun_;
  bytes_ += bytes;
}

// Returns the number of the latest open event called `name`, which may be empty. No value if there
// is none.
std::optional<uint64_t> BegunEvents::Last(const Open& open, const std::string& name) {
  const auto found = open.by_name.find(name);
  return found == open.by_name.end() ? std::nullopt : std::optional(found->second.back());
}

// Removes and returns the open event `number`. It must be the last open event with its name.
ChromeEvent BegunEvents::Take(Open& open, uint64_t number) {
  const auto at = open.events.find(number);
  const auto named = open.by_name.find(at->second.name);
  named->second.pop_back();
  if (named->second.empty()) open.by_name.erase(named);
  ChromeEvent event = std::move(at->second);
  open.events.erase(at);
  --begun_;
  bytes_ -= BytesOf(event);
  return event;
}

std::optional<ChromeEvent> BegunEvents::End(Row row, const ChromeEvent& event) {
  const auto at = rows_.find(row);
  if (at != rows_.end() && at->second.beyond > 0) {
    --at->second.beyond;
    return std::nullopt;
  }
  std::optional<uint64_t> number;
  if (at != rows_.end() && !at->second.events.empty()) {
    Open& open = at->second;
    number = event.name.empty() ? std::optional(open.events.rbegin()->first)
                                : std::max(Last(open, event.name), Last(open, {}));
  }
  if (!number) {
    ++without_begin_;
    return std::nullopt;
  }
  ChromeEvent span = Take(at->second, *number);
  if (!span.start || !event.start) {
    ++left_out_;
    return std::nullopt;
  }
  int64_t duration = 0;
  if (__builtin_sub_overflow(*event.start, *span.start, &duration)) duration = -1;
  span.duration = duration;
  if (span.name.empty()) span.name = event.name;
  return span;
}

}  // namespace gprofx::importers
