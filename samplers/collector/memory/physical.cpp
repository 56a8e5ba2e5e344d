#include "samplers/collector/memory/physical.h"

namespace gprofx {
namespace {

constexpr uint64_t kKeyBase = uint64_t{1} << 63;  // larger than any memory address

}  // namespace

void PhysicalMemory::Create(uint64_t handle) {
  if (memory_.size() >= kMaxRows) return;
  const uint64_t key = kKeyBase + ++keys_;
  key_of_handle_[handle] = key;
  memory_[key] = {key, 0, false};
}

uint64_t PhysicalMemory::KeyOf(uint64_t handle) const {
  const auto found = key_of_handle_.find(handle);
  return found == key_of_handle_.end() ? 0 : found->second;
}

void PhysicalMemory::Map(uint64_t address, uint64_t handle) {
  const auto found = memory_.find(KeyOf(handle));
  if (found == memory_.end() || key_mapped_.size() >= kMaxRows) return;
  if (key_mapped_.try_emplace(address, found->first).second) ++found->second.maps;
}

std::vector<uint64_t> PhysicalMemory::Release(uint64_t handle) {
  std::vector<uint64_t> gone;
  const auto found = memory_.find(KeyOf(handle));
  if (found == memory_.end()) return gone;
  key_of_handle_.erase(handle);
  found->second.released = true;
  EndIfUnused(found->first, gone);
  return gone;
}

// Returns the keys of the memory that the call frees. One call may unmap what several calls have
// mapped.
std::vector<uint64_t> PhysicalMemory::Unmap(uint64_t address, uint64_t bytes) {
  std::vector<uint64_t> gone;
  auto mapped = key_mapped_.lower_bound(address);
  while (mapped != key_mapped_.end() &&
         (mapped->first == address || mapped->first - address < bytes)) {
    const uint64_t key = mapped->second;
    mapped = key_mapped_.erase(mapped);
    const auto memory = memory_.find(key);
    if (memory == memory_.end()) continue;
    --memory->second.maps;
    EndIfUnused(key, gone);
  }
  return gone;
}

void PhysicalMemory::EndIfUnused(uint64_t key, std::vector<uint64_t>& gone) {
  const auto found = memory_.find(key);
  if (!found->second.released || found->second.maps != 0) return;
  memory_.erase(found);
  gone.push_back(key);
}

}  // namespace gprofx
