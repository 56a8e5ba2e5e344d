// Imports collapsed stacks, as written for flame graphs and by py-spy --format raw, Python's own
// profiler and austin.
//
// The values are numbers of samples (metric "samples"). Those of austin are microseconds or bytes
// (metric "wall", "cpu" or "memory"). Fractions are multiplied by a power of ten that makes them
// whole (scale()), as far as the sum of all values fits. Values with more digits are rounded and
// counted (import_rounded_values). Lines that cannot be read are counted. Input comes in pieces of
// bytes, cut anywhere. Memory: the call paths. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/profile.h"
#include "formats/importers/collapsed/decimal.h"
#include "formats/importers/lines.h"

namespace gprofx::importers {

// Reads lines like "main (app.py:10);work (app.py:3) 12". A line has the frames from the root on,
// then the number of samples.
class CollapsedReader {
 public:
  // `is_austin` is the result of AustinDetector.
  explicit CollapsedReader(Profile& profile, bool is_austin = false);
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish();
  int64_t stacks() const { return stacks_; }
  bool has_values() const { return has_values_; }  // true after a value other than 0
  int64_t scale() const { return PowerOfTen(places_); }
  // True if every line has two values, as the comparison of two profiles does.
  bool has_two_values() const { return stacks_ > 0 && two_values_ == stacks_; }

 private:
  void Take(std::string_view line);
  void TakeComment(std::string_view line);
  void TakeAustin(std::string_view stack, std::string_view value);
  void TakeCount(std::string_view stack, std::string_view value);
  void AddCount(std::string_view stack, int64_t count);
  NodeId NodeOf(std::string_view stack);
  ProcessId Process(int64_t pid);
  ThreadId Thread(std::string_view& stack);
  std::optional<int64_t> Scaled(const Decimal& number);
  void Refine(const Decimal& number);
  void SetPlaces(int places);

  Profile& profile_;
  std::map<int64_t, ProcessId> processes_;
  std::map<std::pair<ProcessId, std::string>, ThreadId> threads_;
  std::string mode_;  // mode of austin: "wall", "cpu" or "memory"
  const bool is_austin_;
  bool has_values_ = false;
  MetricId samples_;
  int places_ = 0;       // values are multiplied by 10^places_
  int most_places_ = 0;  // maximum of places_ for which the sum fits
  int64_t total_ = 0;    // sum of all values, multiplied by 10^places_
  int64_t stacks_ = 0, unread_ = 0, two_values_ = 0, cut_frames_ = 0, rounded_ = 0;
  Lines lines_;
};

}  // namespace gprofx::importers
