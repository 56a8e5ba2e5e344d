#include "formats/importers/chrome/names.h"

#include "formats/importers/call_words.h"
#include "formats/importers/chrome/details.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxNames = 65'536;

}  // namespace

// Stores the name of `key` in `names`. If there are too many names, only counts it, under `what`.
template <class Key>
void ChromeNames::Keep(std::map<Key, std::string>& names, Key key, const std::string& name,
                       const char* what) {
  const auto known = names.find(key);
  if (known != names.end()) {
    known->second = name;
  } else if (names.size() < kMaxNames) {
    names.emplace(key, name);
  } else {
    gather_.LeaveOut(what);
  }
}

// If an id is a text, stores the text as the name of the process or thread.
void ChromeNames::NoteWords(const ChromeEvent& event) {
  if (!event.pid_word.empty()) {
    Keep(process_words_, PidOf(event), event.pid_word, "names_of_processes");
  }
  if (!event.tid_word.empty()) {
    Keep(thread_words_, RowOf(event), event.tid_word, "names_of_threads");
  }
}

void ChromeNames::Take(const ChromeEvent& event) {
  if (!event.pid || event.label.empty()) return;
  if (event.name == "process_name") {
    Keep(process_names_, *event.pid, event.label, "names_of_processes");
  }
  if (event.name == "thread_name" && event.tid) {
    Keep(thread_names_, RowOf(event), event.label, "names_of_threads");
  }
}

void ChromeNames::Describe() {
  for (const auto& [pid, word] : process_words_) gather_.DescribeProcess(pid, word);
  for (const auto& [key, word] : thread_words_) {
    gather_.DescribeThread(key.first, key.second, word);
  }
  for (const auto& [pid, name] : process_names_) {
    const auto word = process_words_.find(pid);
    const std::string label =
        word == process_words_.end() ? std::string() : ParseIdWord(word->second).label;
    gather_.NameKnownProcess(pid, label.empty() ? name : label + " " + name);
  }
  for (const auto& [key, name] : thread_names_) {
    gather_.NameKnownThread(key.first, key.second, name);
  }
}

std::optional<uint32_t> ChromeNames::JaxDevice(int64_t pid) {
  const auto found = process_names_.find(pid);
  if (found == process_names_.end()) return std::nullopt;
  for (const std::string_view device : {"/device:GPU:", "/device:TPU:"}) {
    const size_t at = found->second.find(device);
    if (at == std::string::npos) continue;
    has_jax_devices_ = true;
    return NumberIn<uint32_t>(std::string_view(found->second).substr(at + device.size()));
  }
  return std::nullopt;
}

// Returns the stream that a row shows: 7 for the row "Stream #7(Compute)" of a GPU, and 0 for the
// row "XLA Ops" of a TPU. No value for other rows.
std::optional<uint32_t> ChromeNames::JaxStream(Row row) const {
  constexpr std::string_view kStream = "Stream #";
  const auto found = thread_names_.find(row);
  if (found == thread_names_.end()) return std::nullopt;
  const std::string_view name = found->second;
  if (name.starts_with(kStream)) return NumberIn<uint32_t>(name.substr(kStream.size()));
  const bool is_tpu = process_names_.at(row.first).find("/device:TPU:") != std::string::npos;
  return is_tpu && name == "XLA Ops" ? std::optional<uint32_t>(0) : std::nullopt;
}

}  // namespace gprofx::importers
