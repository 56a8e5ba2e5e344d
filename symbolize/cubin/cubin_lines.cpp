#include "symbolize/cubin/cubin_lines.h"

#include <dwarf.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/base/byte_reader.h"

namespace gprofx {
namespace {

constexpr uint8_t kInlinedCall = 0x90;      // DW_LNE_NVIDIA_inlined_call
constexpr uint8_t kSetFunctionName = 0x91;  // DW_LNE_NVIDIA_set_function_name
constexpr int kDeepestInlining = 64;
constexpr uint32_t kInstructionBytes = 16;  // minimum address step since Volta
constexpr size_t kLongestPath = 4096;

struct Header {
  uint8_t min_instruction = 1, line_range = 1, opcode_base = 1;
  int8_t line_base = 0;
  std::vector<uint8_t> operands;  // number of operands of each standard opcode, from opcode 1
};

struct Target {
  uint32_t section = 0;
  uint64_t offset = 0;
};

uint32_t Clamp(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}

// Returns the section and offset to which each relocated position in .debug_line refers.
std::unordered_map<uint64_t, Target> Targets(const CubinElf& elf, uint32_t lines) {
  std::unordered_map<uint64_t, Target> out;
  const Bytes data = elf.sections()[lines].data;
  const uint32_t section = elf.RelocationsOf(lines);
  if (section == 0) return out;
  for (const CubinRelocation& relocation : elf.Relocations(section)) {
    if (relocation.symbol >= elf.symbols().size()) continue;
    const CubinSymbol& symbol = elf.symbols()[relocation.symbol];
    if (symbol.section == 0) continue;
    const uint64_t addend = relocation.addend
                                ? static_cast<uint64_t>(*relocation.addend)
                                : LoadAt<uint64_t>(data, relocation.offset).value_or(0);
    out[relocation.offset] = {symbol.section, symbol.raw.st_value + addend};
  }
  return out;
}

// Runs the line programs and appends the results to `units`, `rows` and `runs`.
class Decoder {
 public:
  Decoder(Bytes data, std::unordered_map<uint64_t, Target> targets, std::vector<LineUnit>& units,
          std::vector<LineRow>& rows, std::vector<LineRun>& runs)
      : data_(data), targets_(std::move(targets)), units_(units), rows_(rows), runs_(runs) {}

  void RunAll() {
    size_t at = 0;
    while (at < data_.size()) {
      const auto length = LoadAt<uint32_t>(data_, at);
      // In the 64-bit format of DWARF, the length begins with 0xffffffff, which is larger than any
      // cubin: such units are not read.
      if (!length || *length > data_.size() - at - sizeof(uint32_t)) return;
      const size_t end = at + sizeof(uint32_t) + *length;
      RunUnit(at, end);
      at = end;
    }
  }

 private:
  void RunUnit(size_t begin, size_t end) {
    ByteReader in(data_.subspan(0, end));
    in.Skip(begin + sizeof(uint32_t));
    const auto version = in.Number<uint16_t>();
    if (version < 2 || version > 4) return;
    const auto header_length = in.Number<uint32_t>();
    const size_t program = in.at() + header_length;
    if (!in.ok() || program > end) return;
    Header header;
    header.min_instruction = in.Number<uint8_t>();
    if (version == 4) in.Number<uint8_t>();  // operations per instruction, used only for VLIW
    in.Number<uint8_t>();                    // is_stmt
    header.line_base = in.Number<int8_t>();
    header.line_range = in.Number<uint8_t>();
    header.opcode_base = in.Number<uint8_t>();
    if (!in.ok() || header.line_range == 0 || header.opcode_base == 0) return;
    for (int i = 1; i < header.opcode_base; ++i) header.operands.push_back(in.Number<uint8_t>());

    LineUnit unit{begin, program, end, {}, {}};
    for (std::string_view folder; !(folder = in.Text()).empty();) unit.folders.push_back(folder);
    for (std::string_view name; !(name = in.Text()).empty();) {
      unit.files.push_back({name, in.Uleb()});
      in.Uleb();  // time of the file
      in.Uleb();  // size of the file
    }
    if (!in.ok()) return;
    units_.push_back(std::move(unit));
    RunProgram(header, program, end);
  }

  void RunProgram(const Header& header, size_t program, size_t end) {
    ByteReader in(data_.subspan(0, end));
    in.Skip(program);
    BeginSequence(program);
    while (!in.at_end()) {
      const auto opcode = in.Number<uint8_t>();
      if (opcode >= header.opcode_base) {
        Special(header, opcode);
      } else if (opcode == 0) {
        Extended(in, end);
      } else {
        Standard(header, in, opcode);
      }
    }
    EndSequence(end);  // the program may not end its last sequence
  }

  void Special(const Header& header, uint8_t opcode) {
    const int adjusted = opcode - header.opcode_base;
    Advance(header, static_cast<uint64_t>(adjusted / header.line_range));
    AddLine(header.line_base + adjusted % header.line_range);
    AddRow();
  }

  void Standard(const Header& header, ByteReader& in, uint8_t opcode) {
    switch (opcode) {
      case DW_LNS_copy:
        AddRow();
        return;
      case DW_LNS_advance_pc:
        Advance(header, in.Uleb());
        return;
      case DW_LNS_advance_line:
        AddLine(in.Sleb());
        return;
      case DW_LNS_set_file:
        state_.file = Clamp(in.Uleb());
        return;
      case DW_LNS_const_add_pc:
        Advance(header, static_cast<uint64_t>((255 - header.opcode_base) / header.line_range));
        return;
      case DW_LNS_fixed_advance_pc:
        address_ += in.Number<uint16_t>();
        return;
      default:  // skips operands: of columns, flags and unknown opcodes
        for (int i = 0; i < header.operands[opcode - 1u]; ++i) in.Uleb();
    }
  }

  void Extended(ByteReader& in, size_t end) {
    const uint64_t size = in.Uleb();
    const size_t begin = in.at();
    in.Skip(size);
    if (!in.ok() || size == 0) return;
    ByteReader operands(data_.subspan(0, std::min(begin + size, end)));
    operands.Skip(begin);
    switch (operands.Number<uint8_t>()) {
      case DW_LNE_end_sequence:
        EndSequence(in.at());
        BeginSequence(in.at());
        return;
      case DW_LNE_set_address:
        SetAddress(operands.at());
        return;
      case kInlinedCall:
        state_.context = Clamp(operands.Uleb());
        state_.name = state_.context == 0 ? kNoName : Clamp(operands.Uleb());
        return;
      case kSetFunctionName:
        state_.name = Clamp(operands.Uleb());
        return;
      default:
        return;
    }
  }

  void BeginSequence(size_t at) {
    state_ = LineRow{0, 1, 1, 0, kNoName};
    section_ = 0;
    address_ = 0;
    sequence_row_ = run_begin_ = static_cast<uint32_t>(rows_.size());
    sequence_bytes_ = at;
    sequence_run_ = runs_.size();
  }

  void EndSequence(size_t at) {
    EndRun(address_);
    for (size_t i = sequence_run_; i < runs_.size(); ++i) runs_[i].bytes_end = at;
  }

  void SetAddress(size_t position) {
    EndRun(0);
    const auto found = targets_.find(position);
    section_ = found == targets_.end() ? 0 : found->second.section;
    address_ = found == targets_.end() ? 0 : found->second.offset;
  }

  void EndRun(uint64_t high) {
    const auto end = static_cast<uint32_t>(rows_.size());
    if (end > run_begin_ && section_ != 0) {
      const uint64_t after_last = uint64_t{rows_.back().offset} + kInstructionBytes;
      runs_.push_back({section_, static_cast<uint32_t>(units_.size() - 1), sequence_row_,
                       run_begin_, end, rows_[run_begin_].offset,
                       Clamp(high != 0 ? high : after_last), sequence_bytes_, 0});
    }
    run_begin_ = end;
  }

  void Advance(const Header& header, uint64_t steps) { address_ += steps * header.min_instruction; }

  void AddLine(int64_t by) {
    state_.line = static_cast<uint32_t>(state_.line + static_cast<uint64_t>(by));
  }

  void AddRow() {
    state_.offset = Clamp(address_);
    const bool falls = rows_.size() > run_begin_ && state_.offset < rows_.back().offset;
    if (falls) EndRun(0);
    if (rows_.size() < std::numeric_limits<uint32_t>::max()) rows_.push_back(state_);
  }

  Bytes data_;
  std::unordered_map<uint64_t, Target> targets_;
  std::vector<LineUnit>& units_;
  std::vector<LineRow>& rows_;
  std::vector<LineRun>& runs_;

  LineRow state_;
  uint32_t section_ = 0;
  uint64_t address_ = 0;
  uint32_t sequence_row_ = 0, run_begin_ = 0;
  size_t sequence_bytes_ = 0, sequence_run_ = 0;
};

}  // namespace

LineTable::LineTable(const CubinElf& elf) : section_(elf.Find(".debug_line")) {
  if (section_ == 0) return;
  if (const uint32_t names = elf.Find(".debug_str")) names_ = elf.sections()[names].data;
  Decoder(elf.sections()[section_].data, Targets(elf, section_), units_, rows_, runs_).RunAll();
  std::stable_sort(runs_.begin(), runs_.end(), [](const LineRun& a, const LineRun& b) {
    return a.section != b.section ? a.section < b.section : a.low < b.low;
  });
}

std::string LineTable::FileOf(const LineUnit& unit, uint32_t file) const {
  if (file == 0 || file > unit.files.size()) return "";
  const auto& [name, folder] = unit.files[file - 1];
  std::string path;
  if (name.front() != '/' && folder != 0 && folder <= unit.folders.size()) {
    path = std::string(unit.folders[folder - 1].substr(0, kLongestPath)) + "/";
  }
  path += name.substr(0, kLongestPath);
  return path;
}

std::vector<LineTable::Place> LineTable::At(uint32_t section, uint64_t offset) const {
  std::vector<Place> places;
  auto run = std::upper_bound(
      runs_.begin(), runs_.end(), std::pair(section, offset), [](const auto& at, const LineRun& r) {
        return r.section != at.first ? at.first < r.section : at.second < r.low;
      });
  if (run == runs_.begin()) return places;
  --run;
  if (run->section != section || offset >= run->high) return places;
  const auto begin = rows_.begin() + run->begin, end = rows_.begin() + run->end;
  auto row = std::upper_bound(begin, end, offset,
                              [](uint64_t at, const LineRow& r) { return at < r.offset; });
  if (row == begin) return places;
  --row;
  const LineUnit& unit = units_[run->unit];
  for (int depth = 0; depth < kDeepestInlining; ++depth) {
    places.push_back({row->name == kNoName ? std::string_view() : TextAt(names_, row->name),
                      FileOf(unit, row->file), row->line});
    if (row->context == 0 || row->context > run->end - run->sequence_row) break;
    row = rows_.begin() + run->sequence_row + (row->context - 1);
  }
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace gprofx
