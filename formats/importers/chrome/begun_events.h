// Pairs the begin events ("B") of a Chrome trace with their end events ("E").
//
// A row is a process and a thread. An E without a name ends the latest open B of its row. An E with
// a name ends the latest open B that has this name or none; later Bs stay open, because spans may
// overlap. At most kMaxBegun events are open at once, in all rows together. A pair beyond that is
// left out and counted. Its row then accepts no B until as many Es have come as Bs were left out.
// Each event takes O(log n). Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/importers/chrome_event.h"

namespace gprofx::importers {

class BegunEvents {
 public:
  using Row = std::pair<int64_t, int64_t>;  // process and thread
  static constexpr size_t kMaxBegun = size_t{1} << 17, kMaxBytes = size_t{64} << 20;

  void Begin(Row row, const ChromeEvent& event);
  // Returns the span from the B event that matches this E event. No value if there is none.
  std::optional<ChromeEvent> End(Row row, const ChromeEvent& event);

  // The next functions return how many events are in no span.
  int64_t without_end() const { return static_cast<int64_t>(begun_); }
  int64_t without_begin() const { return without_begin_; }
  int64_t left_out() const { return left_out_; }  // pairs without a time or beyond kMaxBegun

 private:
  struct Open {
    std::map<uint64_t, ChromeEvent> events;  // open events by number, in order of their begins
    std::unordered_map<std::string, std::vector<uint64_t>> by_name;
    size_t beyond = 0;  // number of Bs left out whose E has not come yet
  };

  static std::optional<uint64_t> Last(const Open& open, const std::string& name);
  ChromeEvent Take(Open& open, uint64_t number);

  std::map<Row, Open> rows_;
  uint64_t next_ = 0;
  size_t begun_ = 0, bytes_ = 0;
  int64_t without_begin_ = 0, left_out_ = 0;
};

}  // namespace gprofx::importers
