// The layers of a recording and their paths, found or created by name or by the line that calls
// them. They are stored in Levels. Used inside core/levels only; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/levels/level_names.h"
#include "core/levels/levels.h"
#include "core/model/layer_path.h"

namespace gprofx {

class LayerTable {
 public:
  // Both must outlive the table.
  LayerTable(const Profile& profile, Levels& out) : profile_(profile), out_(out) {}

  uint32_t TypeOf(const std::string& type);
  // Returns the layer of a profiler span.
  uint32_t Named(const NamedModule& module);
  // Returns the layer of this type that the line `site` calls in the innermost layer of `path`.
  // `code`: its forward().
  uint32_t Called(uint32_t type, uint32_t path, FrameId site, FrameId code);

  // Returns `parent` extended by a layer, first seen at `node`; returns `parent` itself if it ends
  // in that layer or is too deep.
  uint32_t PathTo(uint32_t parent, uint32_t layer, size_t node);

  // Returns the id of a call of a module's forward(), `code`, from the line `site` within the call
  // `around`; `around` 0 = within no other call.
  uint32_t CallOf(uint32_t around, FrameId site, FrameId code);
  // Returns a path by its name (core/model/layer_path.h). `call` is the innermost call; it and the
  // calls around it give the last layers of the path their lines.
  uint32_t PathOfLayers(std::string_view text, uint32_t call, size_t node);

 private:
  uint32_t LayerOfStep(const std::vector<LayerStep>& steps, size_t step, uint32_t parent);

  struct Type {
    std::string name;
    uint32_t layers = 0;  // number of layers from stacks so far
  };
  struct Call {
    uint32_t around = 0;  // id in calls_
    FrameId site, code;
  };

  const Profile& profile_;
  Levels& out_;
  std::vector<Type> types_;
  std::vector<Call> calls_;
  std::unordered_map<std::string, uint32_t> type_ids_, named_ids_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> call_ids_;
  // Spans: type and number. Stacks: type, layer around it, and calling line.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> layer_ids_;
  std::unordered_map<uint64_t, uint32_t> path_ids_;
};

}  // namespace gprofx
