#include "formats/database/counter_table.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "formats/database/compute_table.h"

namespace gprofx {
namespace {

constexpr std::string_view kSass = "smsp__sass_thread_inst_executed_op_";
constexpr std::string_view kOldSass = "sm__sass_thread_inst_executed_op_";
constexpr std::string_view kTensor = "sm__ops_path_tensor_src_";
constexpr std::string_view kSum = ".sum";
constexpr char kRead[] = "dram__bytes_read", kWrite[] = "dram__bytes_write";

struct Instruction {
  std::string_view name;
  FlopUnit unit;
  double flop;  // FLOP per thread
};
// FLOP per instruction and thread, as in the rooflines of Nsight Compute.
constexpr Instruction kInstructions[] = {
    {"dadd", FlopUnit::kF64, 1}, {"dmul", FlopUnit::kF64, 1}, {"dfma", FlopUnit::kF64, 2},
    {"fadd", FlopUnit::kF32, 1}, {"fmul", FlopUnit::kF32, 1}, {"ffma", FlopUnit::kF32, 2},
    {"hadd", FlopUnit::kF16, 1}, {"hmul", FlopUnit::kF16, 1}, {"hfma", FlopUnit::kF16, 2}};
// Instructions that do two operations at once. Not all GPUs have them.
constexpr Instruction kPairs[] = {
    {"fadd2", FlopUnit::kF32, 2}, {"fmul2", FlopUnit::kF32, 2}, {"ffma2", FlopUnit::kF32, 4}};

std::string BaseOf(const Instruction& instruction, std::string_view prefix = kSass) {
  return std::string(prefix) + std::string(instruction.name) + "_pred_on";
}

struct TensorName {
  std::string_view prefix;  // begin of the metric's name, after kTensor
  FlopUnit unit;
};
constexpr TensorName kTensorNames[] = {
    {"fp64", FlopUnit::kTensorF64}, {"tf32", FlopUnit::kTensorTf32},
    {"fp16", FlopUnit::kTensorF16}, {"bf16", FlopUnit::kTensorBf16},
    {"fp8", FlopUnit::kTensorF8},   {"fp4_fp6_fp8", FlopUnit::kTensorF8}};

// Returns which tensor core operations a metric counts. Returns null if the metric is not known,
// counts integer operations (no FLOP), or counts a subset of another metric ("_sparsity_on").
const TensorName* TensorOf(std::string_view base) {
  if (!base.starts_with(kTensor) || base.find("_sparsity_") != base.npos) return nullptr;
  const std::string_view rest = base.substr(kTensor.size());
  const auto* found =
      std::find_if(std::begin(kTensorNames), std::end(kTensorNames), [&](const TensorName& one) {
        return rest == one.prefix || rest.starts_with(std::string(one.prefix) + "_dst");
      });
  return found == std::end(kTensorNames) ? nullptr : found;
}

using Measurement = std::pair<int, double>;

struct Columns {
  std::vector<int> bytes;
  std::array<std::vector<Measurement>, kFlopUnits> flop;
  bool has_flop = true;

  explicit Columns(const ComputeTable& table) {
    const auto find = [&](const std::string& base) { return table.Find(base + std::string(kSum)); };
    const int read = find(kRead), write = find(kWrite), both = find("dram__bytes");
    if (read >= 0 && write >= 0) {
      bytes = {read, write};
    } else if (both >= 0) {
      bytes = {both};
    }
    const auto add = [&](const Instruction& instruction, bool must) {
      int column = find(BaseOf(instruction));
      if (column < 0) column = find(BaseOf(instruction, kOldSass));
      if (column >= 0) {
        flop[static_cast<size_t>(instruction.unit)].push_back({column, instruction.flop});
      }
      has_flop = has_flop && (column >= 0 || !must);
    };
    for (const Instruction& instruction : kInstructions) add(instruction, true);
    for (const Instruction& instruction : kPairs) add(instruction, false);
    bool has_tensor = false;
    for (size_t i = 0; i < table.names().size(); ++i) {
      std::string_view name = table.names()[i];
      if (!name.ends_with(kSum)) continue;
      name.remove_suffix(kSum.size());
      if (const TensorName* tensor = TensorOf(name)) {
        flop[static_cast<size_t>(tensor->unit)].push_back({static_cast<int>(i), 1});
        has_tensor = true;
      }
    }
    has_flop = has_flop && has_tensor;
  }
};

// Returns the sum of number times factor over `columns`. No value if one of the numbers is missing,
// negative or infinite.
std::optional<double> SumOf(const ComputeTable& table, const std::vector<Measurement>& columns) {
  double sum = 0;
  for (const auto& [column, factor] : columns) {
    const std::optional<double> number = table.Number(column);
    if (!number || !(*number >= 0) || !std::isfinite(*number)) return std::nullopt;
    sum += *number * factor;
  }
  return sum;
}

MeasuredLaunch LaunchOf(const ComputeTable& table, const Columns& columns) {
  MeasuredLaunch launch;
  launch.kernel = table.Text(table.Find("Kernel Name"));
  table.Size("Grid Size", launch.grid);
  table.Size("Block Size", launch.block);
  if (!columns.bytes.empty()) {
    std::vector<Measurement> bytes;
    for (const int column : columns.bytes) bytes.push_back({column, 1});
    launch.bytes = SumOf(table, bytes);
  }
  if (!columns.has_flop) return launch;
  std::array<double, kFlopUnits> flop = {};
  for (size_t i = 0; i < kFlopUnits; ++i) {
    const std::optional<double> sum = SumOf(table, columns.flop[i]);
    if (!sum) return launch;
    flop[i] = *sum;
  }
  launch.flop = flop;
  return launch;
}

constexpr const char* kUnitColumns[kFlopUnits] = {
    "flop_f64",         "flop_f32",        "flop_f16",         "flop_tensor_f64",
    "flop_tensor_tf32", "flop_tensor_f16", "flop_tensor_bf16", "flop_tensor_f8"};

}  // namespace

std::vector<std::string> MetricsToMeasure(const std::vector<std::string>& available) {
  std::vector<std::string> metrics;
  const auto add = [&](const std::string& base, bool must) {
    const bool known = std::find(available.begin(), available.end(), base) != available.end();
    if (known || (available.empty() && must)) metrics.push_back(base + std::string(kSum));
  };
  add("gpu__time_duration", true);
  add(kRead, true);
  add(kWrite, true);
  // Request these even if `available` does not list them, because all GPUs since Volta have them.
  for (const Instruction& instruction : kInstructions) {
    metrics.push_back(BaseOf(instruction) + std::string(kSum));
  }
  for (const Instruction& instruction : kPairs) add(BaseOf(instruction), false);
  for (const std::string& base : available) {
    if (TensorOf(base) != nullptr) add(base, true);
  }
  return metrics;
}

Result<std::vector<MeasuredLaunch>> ReadMeasuredLaunches(const std::string& path) {
  std::vector<MeasuredLaunch> launches;
  std::optional<Columns> columns;
  const Status read = ReadComputeTable(
      path,
      [&](const ComputeTable& table) -> Status {
        columns.emplace(table);
        if (columns->has_flop || !columns->bytes.empty()) return Ok();
        return Error{ErrorId::kMissingColumn,
                     "'" + path + "' has no counters of memory bytes or operations",
                     "run ncu with --metrics dram__bytes_read.sum,dram__bytes_write.sum at least"};
      },
      [&](const ComputeTable& table) { launches.push_back(LaunchOf(table, *columns)); });
  if (!read) return read.error();
  return launches;
}

AddedTable TableOf(const std::vector<KernelCounters>& counters) {
  AddedTable table{kCounterTable,
                   {{"config", CellType::kInteger},
                    {"launches", CellType::kInteger},
                    {"is_uneven", CellType::kInteger},
                    {"bytes", CellType::kReal}},  // -1 = not measured, also in the FLOP columns
                   {}};
  for (const char* name : kUnitColumns) table.columns.push_back({name, CellType::kReal});
  for (const KernelCounters& row : counters) {
    std::vector<Cell> cells = {int64_t{row.config.value}, row.launches, int64_t{row.is_uneven},
                               row.has_bytes ? row.bytes : -1.0};
    for (const double flop : row.flop) cells.emplace_back(row.has_flop ? flop : -1.0);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Result<std::vector<KernelCounters>> CountersOf(const AddedTable& table, size_t configs) {
  constexpr size_t kFixed = 4;
  constexpr double kMax = 1e18;  // FLOP or bytes per launch
  const Error broken{ErrorId::kDamaged, "the table of counters is damaged", "measure them again"};
  std::vector<KernelCounters> out;
  if (table.rows.empty()) return out;
  const AddedTable own = TableOf({});
  if (table.columns.size() < own.columns.size() ||
      !std::equal(own.columns.begin(), own.columns.end(), table.columns.begin())) {
    return broken;
  }
  for (const std::vector<Cell>& cells : table.rows) {
    KernelCounters row;
    const int64_t config = std::get<int64_t>(cells[0]);
    if (config < 1 || static_cast<uint64_t>(config) > configs) return broken;
    row.config = GpuConfigId{static_cast<uint32_t>(config)};
    row.launches = std::get<int64_t>(cells[1]);
    row.is_uneven = std::get<int64_t>(cells[2]) != 0;
    row.bytes = std::get<double>(cells[3]);
    row.has_bytes = row.bytes >= 0;
    row.has_flop = true;
    if (row.launches < 1 || !(row.bytes <= kMax)) return broken;
    for (size_t i = 0; i < kFlopUnits; ++i) {
      row.flop[i] = std::get<double>(cells[kFixed + i]);
      if (!(row.flop[i] <= kMax)) return broken;
      row.has_flop = row.has_flop && row.flop[i] >= 0;
    }
    out.push_back(row);
  }
  return out;
}

}  // namespace gprofx
