#include "samplers/recorder/timers.h"

namespace gprofx::recorder {

void PassTimers::Describe(std::map<std::string, std::string>& meta) const {
  for (size_t i = 0; i < kPasses; ++i) {
    if (static_cast<Pass>(i) == Pass::kFinalWrite) continue;
    meta[std::string("recorder_ns_") + kPassNames[i]] = std::to_string(ns_[i]);
  }
}

}  // namespace gprofx::recorder
