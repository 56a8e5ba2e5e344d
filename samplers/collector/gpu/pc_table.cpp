#include "samplers/collector/gpu/pc_table.h"

#include "core/base/arithmetic.h"
#include "core/base/hash.h"

namespace gprofx {

size_t PcTable::Hash::operator()(const PcRowKey& key) const noexcept {
  return HashOfNumbers(uint64_t{key.cubin.value} << 32 | key.function.value, key.offset,
                       key.stall.value, uint64_t{key.node.value} << 32 | key.thread.value,
                       key.confidence);
}

bool PcTable::Add(const PcRowKey& key, uint64_t samples, uint64_t latency) {
  auto found = index_.find(key);
  if (found == index_.end()) {
    if (rows_.size() >= kMaxRows) return false;
    found = index_.emplace(key, static_cast<uint32_t>(rows_.size())).first;
    rows_.push_back({key, 0, 0});
    told_.emplace_back();
  }
  const uint32_t at = found->second;
  rows_[at].samples = AddSaturated(rows_[at].samples, ToSigned(samples));
  rows_[at].latency = AddSaturated(rows_[at].latency, ToSigned(latency));
  if (!told_[at].dirty) dirty_.push_back(at);
  told_[at].dirty = true;
  return true;
}

void PcTable::AddName(CubinId cubin, FunctionId function, const std::string& name) {
  if (name_bytes_ + name.size() > kMaxNameBytes || names_.size() >= kMaxRows) return;
  if (names_.try_emplace({cubin, function}, name).second) name_bytes_ += name.size();
}

const std::string& PcTable::NameOf(CubinId cubin, FunctionId function) const {
  static const std::string none;
  const auto found = names_.find({cubin, function});
  return found == names_.end() ? none : found->second;
}

void PcTable::AppendDelta(EventTable& out) {
  for (const uint32_t at : dirty_) {
    const PcRow& row = rows_[at];
    Told& told = told_[at];
    out.Append(PcEvent{row.key.cubin, row.key.function, row.key.offset, row.key.stall,
                       row.samples - told.samples, row.latency - told.latency, row.key.node,
                       row.key.confidence});
    told = {row.samples, row.latency, false};
  }
  dirty_.clear();
}

}  // namespace gprofx
