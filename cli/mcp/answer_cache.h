// Keeps recent answers, so that a repeated question costs nothing. The key of an answer contains
// the identity of the files. If a file has changed, no answer matches and the file is read again.
// The size is limited. One thread.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace gprofx {

class AnswerCache {
 public:
  const std::string* Find(std::string_view key) {
    for (auto at = answers_.begin(); at != answers_.end(); ++at) {
      if (at->first != key) continue;
      answers_.splice(answers_.begin(), answers_, at);
      return &answers_.front().second;
    }
    return nullptr;
  }

  void Keep(std::string key, std::string text) {
    bytes_ += key.size() + text.size();
    answers_.emplace_front(std::move(key), std::move(text));
    while (answers_.size() > kMax || bytes_ > kMaxBytes) {
      bytes_ -= answers_.back().first.size() + answers_.back().second.size();
      answers_.pop_back();
    }
  }

 private:
  static constexpr size_t kMax = 64, kMaxBytes = 4 << 20;
  std::list<std::pair<std::string, std::string>> answers_;  // most recently used first
  size_t bytes_ = 0;
};

}  // namespace gprofx
