// Tables of Nsight Compute (ncu --csv --page raw): a row for each launch that was profiled, metrics
// in columns, units in the row below the names. There are no times: launches have an order, and lie
// one behind the other.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/kernel_family.h"
#include "formats/importers/byte_source.h"
#include "formats/variability/files.h"
#include "formats/variability/memory_events.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr size_t kLongestLine = size_t{1} << 20;

// "a","b ""c""",d -> fields.
std::vector<std::string> FieldsOf(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

// "1,234.5" of a locale with groups of digits.
std::optional<double> NumberOf(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double number = strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

double UnitOf(std::string_view unit) {  // in ns
  if (unit == "us" || unit == "usecond") return 1e3;
  if (unit == "ms" || unit == "msecond") return 1e6;
  if (unit == "s" || unit == "second") return 1e9;
  return 1;
}

// "(128, 1, 1)"
void ReadSize(std::string_view text, uint32_t (&size)[3]) {
  size_t part = 0;
  for (size_t at = text.find_first_of("0123456789"); at != std::string_view::npos && part < 3;) {
    const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    std::from_chars(text.data() + at, text.data() + end, size[part++]);
    at = text.find_first_of("0123456789", end);
  }
}

class Reader {
 public:
  explicit Reader(MemoryEvents& out) : out_(out) {}

  Status Take(const std::string& line, const std::string& path) {
    if (line.empty() || line.starts_with("==")) return Ok();
    std::vector<std::string> fields = FieldsOf(line);
    if (names_.empty()) {
      if (line.find("\"Kernel Name\"") == std::string::npos) return Ok();  // what the program printed
      names_ = std::move(fields);
      time_ = Find("gpu__time_duration.sum");
      if (time_ < 0) {
        return Error{"'" + path + "' has no column gpu__time_duration.sum",
                     "profile with --set basic or --metrics gpu__time_duration.sum, and --page raw"};
      }
      return Ok();
    }
    if (!has_units_) {
      has_units_ = true;
      unit_ = UnitOf(At(fields, time_));
      if (At(fields, Find("ID")).empty()) return Ok();
    }
    TakeRow(fields);
    return Ok();
  }

  bool has_table() const { return time_ >= 0; }

 private:
  int Find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
  }
  static std::string At(const std::vector<std::string>& fields, int column) {
    return column < 0 || static_cast<size_t>(column) >= fields.size() ? "" : fields[static_cast<size_t>(column)];
  }
  static int64_t Whole(const std::string& text) {
    const std::optional<double> number = NumberOf(text);
    return number && *number >= 0 && *number < 1e15 ? static_cast<int64_t>(*number) : 0;
  }

  void TakeRow(const std::vector<std::string>& fields) {
    const std::optional<double> time = NumberOf(At(fields, time_));
    if (!time || !(*time >= 0) || *time * unit_ > 1e15) return;  // "n/a"
    GroupKey key;
    key.name = At(fields, Find("Kernel Name"));
    key.device = At(fields, Find("device__attribute_display_name"));
    if (key.device.empty() && Find("CC") >= 0) key.device = "CC " + At(fields, Find("CC"));
    ReadSize(At(fields, Find("Grid Size")), key.grid);
    ReadSize(At(fields, Find("Block Size")), key.block);
    if (IsCommunicationKernel(key.name)) key.kind = Kind::kCollective;
    Event event;
    event.start = now_;
    event.duration = static_cast<int64_t>(*time * unit_ + 0.5);
    event.kind = key.kind;
    event.group = out_.Group(key);
    event.lane = out_.Lane(Whole(At(fields, Find("Process ID"))), Whole(At(fields, Find("Device"))));
    event.stream = static_cast<uint32_t>(Whole(At(fields, Find("Stream"))));
    out_.Add(event);
    now_ += event.duration;
  }

  MemoryEvents& out_;
  std::vector<std::string> names_;
  int time_ = -1;
  bool has_units_ = false;
  double unit_ = 1;
  int64_t now_ = 0;
};

}  // namespace

OpenedEvents OpenComputeEvents(const std::string& path) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  auto events = std::make_unique<MemoryEvents>();
  Reader reader(*events);
  std::string line;
  for (std::span<const char> piece; !(piece = source->Next()).empty();) {
    for (const char c : piece) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (Status taken = reader.Take(line, path); !taken) return taken.error();
      line.clear();
    }
    if (line.size() > kLongestLine) {
      return Error{"'" + path + "' has a line of more than 1 MB", "no table of Nsight Compute has"};
    }
  }
  if (!source->status()) return source->status().error();
  if (Status taken = reader.Take(line, path); !taken) return taken.error();
  if (!reader.has_table()) {
    return Error{"'" + path + "' has no table of kernels", "write it with ncu --csv --page raw"};
  }
  FileFacts& facts = events->mutable_facts();
  facts.format = "Nsight Compute";
  facts.has_times = false;
  facts.notes.push_back("its launches have an order and no times: they lie one behind the other");
  return std::unique_ptr<EventFile>(std::move(events));
}

}  // namespace gprofx
