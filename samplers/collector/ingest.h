// From the agent's stack nodes to the profile's calling-context tree.
//
// ModuleTable gives equal modules (path and build-id) of all processes one id. ProcessIngest
// translates the nodes of one process, each once: a node is looked at when the first sample names
// it, with its ancestors, outermost first. Whatever the target wrote ends as a node: what cannot be
// read becomes a kTruncated frame and is counted in `bad_records`. One thread. The profile and the
// table must outlive the ingest. Memory is bounded by the region's own sizes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "samplers/collector/region.h"

namespace gprofx {

class ModuleTable {
 public:
  explicit ModuleTable(Profile& profile) : profile_(profile) {}
  ModuleId Find(const std::string& path, const std::string& build_id, uint32_t flags);

 private:
  Profile& profile_;
  std::map<std::pair<StringId, StringId>, ModuleId> index_;
};

class ProcessIngest {
 public:
  ProcessIngest(Profile& profile, ModuleTable& modules, ProcessId process)
      : profile_(profile), modules_(modules), process_(process) {}

  NodeId Node(const Region& region, uint32_t wire_node);

  // From now on addresses in no module belong to this map of a just-in-time compiler: they become
  // native frames of a module with its path. Before, they are kUnknown.
  void UsePerfMap(const std::string& path);
  ModuleId perf_map() const { return perf_map_; }
  bool saw_absolute() const { return saw_absolute_; }

  int64_t bad_records() const { return bad_records_; }

 private:
  FrameId FrameOf(const Region& region, uint64_t wire_frame);
  FrameId NativeFrame(const Region& region, uint64_t wire_frame);
  FrameId PythonFrame(const Region& region, uint64_t wire_frame);
  FrameId Unreadable();

  Profile& profile_;
  ModuleTable& modules_;
  ProcessId process_;
  ModuleId perf_map_;
  std::vector<NodeId> nodes_;                         // by wire node
  std::unordered_map<uint64_t, FrameId> frames_;      // by wire frame
  std::unordered_map<uint32_t, ModuleId> module_of_;  // by wire module
  std::vector<uint32_t> path_;                        // scratch
  size_t text_bytes_ = 0;                             // of code objects so far
  int64_t bad_records_ = 0;
  bool saw_absolute_ = false;
};

}  // namespace gprofx
