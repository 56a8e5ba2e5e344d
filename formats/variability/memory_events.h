// Stores the events of a file that can only be read sequentially. All events are in memory, 32
// bytes each, and are grouped into blocks by time. Used inside formats/variability.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/variability/source.h"

namespace gprofx {

class MemoryEvents final : public variability::EventFile {
 public:
  variability::FileFacts& mutable_facts() { return facts_; }
  uint32_t Group(const variability::GroupKey& key);  // finds or adds the group
  uint32_t Lane(int64_t process, int64_t device);
  void Add(const variability::Event& event) { events_.push_back(event); }
  std::vector<variability::Event>& events() { return events_; }
  // Adds a call of a process in which the host waited for a GPU.
  void AddWait(int64_t process, std::string_view call, int64_t begin, int64_t end);
  void Sort();  // call after the last Add

  const variability::FileFacts& facts() const override { return facts_; }
  std::span<const variability::GroupKey> groups() const override { return groups_; }
  std::span<const variability::LaneId> lanes() const override { return lanes_; }
  Status ReadPart(size_t part, size_t parts, const variability::BlockSink& sink) override;
  Status ReadBlocks(std::span<const variability::BlockId> blocks,
                    const variability::BlockSink& sink) override;
  Result<variability::HostActivity> ReadHost(TimeRange window) override;
  size_t memory() const override { return events_.size() * sizeof(variability::Event) + 1; }

 private:
  variability::FileFacts facts_;
  std::vector<variability::GroupKey> groups_;
  std::vector<variability::LaneId> lanes_;
  std::unordered_map<std::string, uint32_t> group_of_;
  std::vector<variability::Event> events_;
  variability::HostActivity host_;
  std::map<std::string, uint32_t, std::less<>> calls_;  // by name: position in host_.calls
};

}  // namespace gprofx
