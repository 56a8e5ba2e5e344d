// Collects the problems of a recording: reports each one when it occurs and keeps it for the
// profile. One thread.
#pragma once

#include <string>
#include <vector>

#include "samplers/recorder/events.h"

namespace gprofx::recorder {

class Problems {
 public:
  explicit Problems(Listener& listener) : listener_(listener) {}

  void Tell(const Problem& problem) { sentences_.push_back(listener_.Tell(problem)); }
  void Keep(const std::vector<std::string>& untold) {
    sentences_.insert(sentences_.end(), untold.begin(), untold.end());
  }
  const std::vector<std::string>& sentences() const { return sentences_; }
  // Returns the text for meta `problems`: one sentence per line.
  std::string Text() const {
    std::string text;
    for (const std::string& sentence : sentences_) text += (text.empty() ? "" : "\n") + sentence;
    return text;
  }

 private:
  Listener& listener_;
  std::vector<std::string> sentences_;
};

}  // namespace gprofx::recorder
