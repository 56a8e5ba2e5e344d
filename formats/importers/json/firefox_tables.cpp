#include "formats/importers/json/firefox_tables.h"

#include <utility>

namespace gprofx::importers::firefox {
namespace {

constexpr size_t kLongestName = 255;

int64_t NumberIn(std::string_view text) {
  const auto number = ParseDecimal(text);
  return number && number->places == 0 ? number->digits : 0;
}

void TextOfThread(std::string_view path, std::string_view text, ThreadRows& thread) {
  if (path == "threads.stringArray") thread.tables.strings.emplace_back(text);
  if (path == "threads.name") thread.name = text.substr(0, kLongestName);
  if (path == "threads.processName") thread.process = text.substr(0, kLongestName);
  if (path == "threads.samples.weightType") thread.weight_type = text;
  if (path == "threads.pid") thread.pid = NumberIn(text);
  if (path == "threads.tid") thread.tid = NumberIn(text);
}

void NumberOfThread(std::string_view path, const JsonNumber& number, ThreadRows& thread) {
  if (path == "threads.pid") thread.pid = number.Whole().value_or(0);
  if (path == "threads.tid") thread.tid = number.Whole().value_or(0);
  if (path == "threads.markers.name") ++thread.markers;
}

}  // namespace

void Collector::BeginObject(std::string_view path) {
  if (path == "threads") threads.emplace_back();
}

void Collector::BeginArray(std::string_view path) {
  column_ = ColumnOf(path);
  numbers_ = NumbersOf(path);
}

void Collector::EndArray(std::string_view) {
  column_ = nullptr;
  numbers_ = nullptr;
}

void Collector::Number(std::string_view path, const JsonNumber& number) {
  if (column_ != nullptr) {
    column_->push_back(number.Whole().value_or(kNone));
  } else if (numbers_ != nullptr) {
    numbers_->push_back(number);
  } else if (path == "meta.startTime") {
    start_realtime_ns = number.Times(6);
  } else if (!threads.empty()) {
    NumberOfThread(path, number, threads.back());
  }
}

void Collector::Null(std::string_view) {
  if (column_ != nullptr) column_->push_back(kNone);
  if (numbers_ != nullptr) numbers_->push_back({});
}

void Collector::Text(std::string_view path, std::string_view text) {
  if (path == "meta.importedFrom" || (path == "meta.product" && imported_from.empty())) {
    imported_from = text.substr(0, kLongestName);
  } else if (path == "shared.stringArray") {
    shared.strings.emplace_back(text);
  } else if (!threads.empty()) {
    TextOfThread(path, text, threads.back());
  }
}

Column* Collector::ColumnOf(std::string_view path) {
  static constexpr std::pair<std::string_view, Column Tables::*> kColumns[] = {
      {"stackTable.frame", &Tables::stack_frame}, {"stackTable.prefix", &Tables::stack_prefix},
      {"frameTable.func", &Tables::frame_func},   {"frameTable.line", &Tables::frame_line},
      {"funcTable.name", &Tables::func_name},     {"funcTable.fileName", &Tables::func_file},
      {"funcTable.source", &Tables::func_source}, {"sources.filename", &Tables::source_file}};
  const bool is_shared = path.starts_with("shared.");
  if (!is_shared && (!path.starts_with("threads.") || threads.empty())) return nullptr;
  if (path == "threads.samples.stack") return &threads.back().stacks;
  path.remove_prefix(path.find('.') + 1);
  Tables& tables = is_shared ? shared : threads.back().tables;
  for (const auto& [name, column] : kColumns) {
    if (path == name) return &(tables.*column);
  }
  return nullptr;
}

std::vector<JsonNumber>* Collector::NumbersOf(std::string_view path) {
  if (threads.empty()) return nullptr;
  if (path == "threads.samples.time") return &threads.back().times;
  if (path == "threads.samples.timeDeltas") return &threads.back().deltas;
  if (path == "threads.samples.weight") return &threads.back().weights;
  return nullptr;
}

}  // namespace gprofx::importers::firefox
