// Finds or creates the layers of a recording and their paths. A layer is identified by its name or
// by the line that calls it. The result is stored in a Levels. Used inside core/levels only; one
// thread.
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
  // `profile` and `out` must outlive the table.
  LayerTable(const Profile& profile, Levels& out) : profile_(profile), out_(out) {}

  uint32_t TypeOf(const std::string& type);
  // Returns the layer that a profiler span names.
  uint32_t Named(const NamedModule& module);
  // Returns the layer of the type `type` that the line `site` calls within the innermost layer of
  // `path`. `code` is the layer's forward().
  uint32_t Called(uint32_t type, uint32_t path, FrameId site, FrameId code);

  // Returns the path `parent` with `layer` appended; adds it, with `node` as its first node, if it
  // is new. Returns `parent` itself if it already ends in the layer or has the maximum depth.
  uint32_t PathTo(uint32_t parent, uint32_t layer, size_t node);

  // Returns the id of a call of a module's forward(): `code` is that function, `site` the line that
  // calls it, `around` the call in which it happens (0 = none).
  uint32_t CallOf(uint32_t around, FrameId site, FrameId code);
  // Returns the path for `text`, a layer path (core/model/layer_path.h). `call` is the innermost
  // call: it and the calls around it provide the calling lines of the last layers of the path.
  // `node` is the first node of new layers.
  uint32_t PathOfLayers(std::string_view text, uint32_t call, size_t node);

 private:
  uint32_t LayerOfStep(const std::vector<LayerStep>& steps, size_t step, uint32_t parent);

  struct Type {
    std::string name;
    uint32_t layers = 0;  // number of its layers that stacks have shown so far
  };
  struct Call {
    uint32_t around = 0;  // the call in which this one happens, an id in calls_
    FrameId site, code;
  };

  const Profile& profile_;
  Levels& out_;
  std::vector<Type> types_;
  std::vector<Call> calls_;
  std::unordered_map<std::string, uint32_t> type_ids_, named_ids_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> call_ids_;
  // Keys of layers. For a layer from a span: type and number. For a layer from stacks: type, the
  // layer around it, and the calling line.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> layer_ids_;
  std::unordered_map<uint64_t, uint32_t> path_ids_;
};

}  // namespace gprofx
