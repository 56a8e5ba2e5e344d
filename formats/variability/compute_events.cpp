// Reads tables of Nsight Compute (formats/database/compute_table.h) as events. The tables give the
// order of launches but no times, so the events are placed one directly after the other.
#include <memory>
#include <optional>

#include "core/kernels/kernel_family.h"
#include "formats/database/compute_table.h"
#include "formats/variability/files.h"
#include "formats/variability/memory_events.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr char kTime[] = "gpu__time_duration.sum";
constexpr double kLongest = 1e15;  // ns

void TakeRow(const ComputeTable& table, MemoryEvents& out, int64_t& now) {
  const std::optional<double> time = table.Number(table.Find(kTime));
  if (!time || !(*time >= 0) || *time > kLongest) return;  // "n/a"
  GroupKey key;
  key.name = table.Text(table.Find("Kernel Name"));
  key.device = table.Text(table.Find("device__attribute_display_name"));
  if (key.device.empty() && table.Find("CC") >= 0) {
    key.device = "CC " + table.Text(table.Find("CC"));
  }
  table.Size("Grid Size", key.grid);
  table.Size("Block Size", key.block);
  if (IsCommunicationKernel(key.name)) key.kind = Kind::kCollective;
  Event event;
  event.start = now;
  event.duration = static_cast<int64_t>(*time + 0.5);
  event.kind = key.kind;
  event.group = out.Group(key);
  event.lane = out.Lane(table.Whole("Process ID"), table.Whole("Device"));
  event.stream = static_cast<uint32_t>(table.Whole("Stream"));
  out.Add(event);
  now += event.duration;
}

}  // namespace

OpenedEvents OpenComputeEvents(const std::string& path) {
  auto events = std::make_unique<MemoryEvents>();
  int64_t now = 0;
  const Status read = ReadComputeTable(
      path,
      [&](const ComputeTable& table) -> Status {
        if (table.Find(kTime) >= 0) return Ok();
        return Error{ErrorId::kMissingColumn, "'" + path + "' has no column " + kTime,
                     "run ncu with --set basic or --metrics gpu__time_duration.sum, and export "
                     "with --page raw"};
      },
      [&](const ComputeTable& table) { TakeRow(table, *events, now); });
  if (!read) return read.error();
  FileFacts& facts = events->mutable_facts();
  facts.format = "Nsight Compute";
  facts.has_times = false;
  facts.notes.push_back("its launches have no times, so they are placed one after another");
  return std::unique_ptr<EventFile>(std::move(events));
}

}  // namespace gprofx
