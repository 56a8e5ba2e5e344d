// Reads the tables of a Firefox profile. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/importers/json/json_walk.h"

namespace gprofx::importers::firefox {

inline constexpr int64_t kNone = -1;

using Column = std::vector<int64_t>;  // kNone = null

// The tables of one thread, or those that all threads share.
struct Tables {
  Column stack_frame, stack_prefix, frame_func, frame_line, func_name, func_file, func_source;
  Column source_file;
  std::vector<std::string> strings;
};

struct ThreadRows {
  std::string name, process, weight_type;
  int64_t pid = 0, tid = 0, markers = 0;
  Column stacks;
  std::vector<JsonNumber> times, deltas, weights;
  Tables tables;
};

inline int64_t At(const Column& column, int64_t index) {
  const bool is_there = index >= 0 && static_cast<size_t>(index) < column.size();
  return is_there ? column[static_cast<size_t>(index)] : kNone;
}

// Collects the tables of all threads.
class Collector final : public JsonVisitor {
 public:
  std::deque<ThreadRows> threads;
  Tables shared;
  std::string imported_from;
  std::optional<int64_t> start_realtime_ns;

  void BeginObject(std::string_view path) override;
  void BeginArray(std::string_view path) override;
  void EndArray(std::string_view path) override;
  void Number(std::string_view path, const JsonNumber& number) override;
  void Null(std::string_view path) override;
  void Text(std::string_view path, std::string_view text) override;

 private:
  Column* ColumnOf(std::string_view path);
  std::vector<JsonNumber>* NumbersOf(std::string_view path);

  Column* column_ = nullptr;  // column of the array that is being read; null = none
  std::vector<JsonNumber>* numbers_ = nullptr;
};

}  // namespace gprofx::importers::firefox
