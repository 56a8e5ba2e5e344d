// Makes frames for the spans of a Chrome trace, from their names and categories. One thread;
// `gather` must outlive the object.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "formats/importers/chrome/categories.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

class ChromeFrames {
 public:
  explicit ChromeFrames(TraceGather& gather) : gather_(gather) {}

  FrameId Of(const std::string& name, Category category);

 private:
  FrameId Make(std::string_view name, Category category);
  FrameId Python(std::string_view name);

  TraceGather& gather_;
  // The frames that were made so far, by category and name.
  std::array<std::unordered_map<std::string, FrameId>, static_cast<size_t>(Category::kCategories)>
      frames_;
};

}  // namespace gprofx::importers
