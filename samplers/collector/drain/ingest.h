// Translates the agent's stack nodes into the profile's calling-context tree.
//
// ModuleTable gives equal modules (path and build-id) of all processes one id. ProcessIngest
// translates the nodes of one process. It translates a node when the first sample refers to it,
// together with its ancestors, outermost first. A target may write anything: unreadable data
// becomes a kTruncated frame and is counted in `bad_records`. One thread. The profile and the table
// must outlive the ingest. The size of a region bounds how much memory the ingest uses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/model/profile.h"
#include "samplers/collector/drain/region.h"
#include "samplers/collector/processes/mappings.h"
#include "samplers/collector/processes/module_files.h"

namespace gprofx {

class ModuleTable {
 public:
  explicit ModuleTable(Profile& profile) : profile_(profile) {}
  ModuleId Find(const std::string& path, const std::string& build_id, uint32_t flags);
  ModuleFiles& files() { return files_; }

 private:
  Profile& profile_;
  std::map<std::pair<StringId, StringId>, ModuleId> index_;
  ModuleFiles files_;
};

class ProcessIngest {
 public:
  // Returns the text of /proc/PID/maps; "" if the process has ended.
  using ReadMaps = std::function<std::string()>;
  using LookAtFile = std::function<std::optional<FileState>(const std::string& path)>;

  ProcessIngest(Profile& profile, ModuleTable& modules, ProcessId process, ReadMaps maps = {},
                LookAtFile files = {})
      : profile_(profile),
        modules_(modules),
        process_(process),
        read_maps_(std::move(maps)),
        look_at_file_(std::move(files)) {}

  NodeId Node(const Region& region, uint32_t wire_node);

  // Returns the frame of the code that makes the call returning to `address`. Returns 0 if the
  // address is in no known module.
  FrameId CodeBefore(uint64_t address) const;

  // Returns all sampled addresses that are in no module, each once, in order of appearance.
  //
  // The frames of these addresses are kUnknown and belong to jit_module(), a module of this process
  // and generation. Their names become known only later, and differ between processes and over
  // time. Code of a module that is mapped a second time without the loader, as V8 does with its
  // built-in functions, still counts as that module's.
  const std::vector<uint64_t>& jit_addresses() const { return jit_addresses_; }
  ModuleId jit_module() const { return jit_module_; }  // 0 = there were no such addresses
  // Called when the addresses of jit_addresses() hold other code than before. From now on they get
  // new frames in a new module.
  void BeginGeneration();

  int64_t bad_records() const { return bad_records_; }
  size_t bytes() const;  // approximate, without the profile

 private:
  FrameId FrameOf(const Region& region, uint64_t wire_frame);
  FrameId NativeFrame(const Region& region, uint64_t wire_frame);
  ModuleId ModuleOf(const Region& region, uint32_t index);  // 0 = it cannot be read
  ModuleId ModuleWithoutBuildId(const ModuleCopy& copy);
  ModuleId CulpritOf(const Region& region, uint64_t wire_frame);
  const LoadRange* RangeOf(uint64_t address) const;  // null: in no known module
  FrameId MappedAgain(uint64_t address);             // 0 = not code of a module
  FrameId JitFrame(uint64_t wire_frame);
  FrameId PythonFrame(const Region& region, uint64_t wire_frame);
  FrameId LayerFrame(const Region& region, uint64_t wire_frame);
  // Returns the path of a layer (core/model/layer_path.h). Returns "" if its record cannot be read.
  const std::string& LayerPath(const Region& region, uint32_t layer);
  FrameId Unreadable();

  Profile& profile_;
  ModuleTable& modules_;
  ProcessId process_;
  ReadMaps read_maps_;
  LookAtFile look_at_file_;
  int maps_read_ = 0, files_looked_at_ = 0;
  std::vector<Mapping> maps_;  // mappings of the process when they were last read
  ModuleId jit_module_;
  std::vector<uint64_t> jit_addresses_;
  std::vector<NodeId> nodes_;  // node in the profile, by node index in the region
  std::unordered_map<uint64_t, FrameId> frames_;      // by the frame's form in the region
  std::unordered_map<uint32_t, ModuleId> module_of_;  // by module index in the region
  std::vector<uint32_t> path_;  // used within one call; a member to keep its memory
  // Layer paths (core/model/layer_path.h), by layer id.
  std::unordered_map<uint32_t, std::string> layers_;
  // Numbers that tell unnamed modules apart, by the path of the enclosing module and the class.
  std::map<std::pair<std::string, std::string>, uint32_t> nameless_;
  size_t text_bytes_ = 0;  // bytes of text of code objects so far
  int64_t bad_records_ = 0;
};

}  // namespace gprofx
