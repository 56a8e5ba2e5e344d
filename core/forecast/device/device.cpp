#include "core/forecast/device/device.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/forecast/data.h"
#include "core/forecast/device/csv.h"

namespace gprofx::forecast {
namespace {

// A column of numbers and its valid range, wide enough for the devices of the next decades. If
// `positive` is false, 0 is valid, too: the value is unknown, or the device has no such unit.
struct NumberColumn {
  const char* name;
  double Device::*field;
  bool positive;  // true: 0 is invalid
  double least, most;
};
constexpr NumberColumn kNumbers[] = {
    {"capability", &Device::capability, false, 1, 1e4},
    {"sms", &Device::sms, true, 1, 1e5},
    {"lanes", &Device::lanes, true, 1, 1e5},
    {"threads", &Device::threads, true, 1, 1e6},
    {"fp32", &Device::fp32, true, 1e-3, 1e6},
    {"bf16", &Device::bf16, false, 1e-3, 1e6},
    {"fp8", &Device::fp8, false, 1e-3, 1e6},
    {"fp4", &Device::fp4, false, 1e-3, 1e6},
    {"bandwidth", &Device::bandwidth, true, 1e-3, 1e6},
    {"memory", &Device::memory_gb, false, 1e-3, 1e6},
    {"l2", &Device::l2_mb, true, 1e-3, 1e6},
    {"watt", &Device::watt, false, 1e-3, 1e6},
    {"link", &Device::link, false, 1e-3, 1e6},
    {"pcie", &Device::pcie, false, 1e-3, 1e6},
    {"node", &Device::node, false, 1, 1e6},
    {"gemm32", &Device::gemm32, false, 1e-3, 1e6},
    {"copy", &Device::copy, false, 1e-3, 1e6},
    {"gemm16", &Device::gemm16, false, 1e-3, 1e6},
};

bool Takes(const NumberColumn& number, double value) {
  return (value == 0 && !number.positive) || (value >= number.least && value <= number.most);
}

std::string RangeText(const NumberColumn& number) {
  return Format("write a number from %g to %.0f%s", number.least, number.most,
                number.positive ? "" : ", or 0");
}

// Sustained rates of a class of devices, as fractions of the specified rates. They come from
// measured GPUs of the class. Multiprocessors with 128 lanes (gemm32_wide) reach a smaller fraction
// than those with 64. Boards of 70 W are limited by their power.
struct ClassFacts {
  const char* word;
  double gemm32, gemm32_wide, copy, gemm16;
};
constexpr std::array<ClassFacts, 4> kClasses = {{
    {"server", 0.87, 0.75, 0.87, 0.82},
    {"workstation", 0.62, 0.62, 0.84, 0.60},
    {"inference", 0.50, 0.46, 0.80, 0.60},
    {"matrix", 0.70, 0.70, 0.80, 0.55},
}};

const ClassFacts& FactsOf(const Device& device) {
  return kClasses[static_cast<size_t>(device.kind)];
}

std::optional<DeviceClass> ParseClass(std::string_view word) {
  for (size_t i = 0; i < kClasses.size(); ++i) {
    if (word == kClasses[i].word) return static_cast<DeviceClass>(i);
  }
  return std::nullopt;
}

}  // namespace

double PeakFlops(const Device& device, NumberType type) {
  double peak = device.fp32;
  if (type >= NumberType::kBf16 && device.bf16 > 0) peak = device.bf16;
  if (type >= NumberType::kFp8 && device.fp8 > 0) peak = device.fp8;
  if (type >= NumberType::kFp4 && device.fp4 > 0) peak = device.fp4;
  return peak * 1e12;
}

SustainedRate SustainedGemm(const Device& device, NumberType type) {
  if (type == NumberType::kFp32 || device.bf16 == 0) {
    if (device.gemm32 > 0) return {device.gemm32 * 1e12, true};
    const ClassFacts& facts = FactsOf(device);
    return {PeakFlops(device, type) * (device.lanes > 64 ? facts.gemm32_wide : facts.gemm32),
            false};
  }
  const double peak = PeakFlops(device, type);
  if (device.gemm16 > 0) return {device.gemm16 / device.bf16 * peak, type == NumberType::kBf16};
  return {peak * FactsOf(device).gemm16, false};
}

SustainedRate SustainedCopy(const Device& device) {
  if (device.copy > 0) return {device.copy * 1e9, true};
  return {device.bandwidth * 1e9 * FactsOf(device).copy, false};
}

bool IsSameDevice(const Device& a, const Device& b) {
  return a.name == b.name && a.kind == b.kind &&
         std::all_of(std::begin(kNumbers), std::end(kNumbers), [&](const NumberColumn& number) {
           return a.*number.field == b.*number.field;
         });
}

Result<std::vector<Device>> ParseDevices(std::string_view text, const std::string& file) {
  CsvReader reader(text, file);
  std::optional<CsvHeader> header;
  std::vector<Device> devices;
  for (;;) {
    auto row = reader.Next();
    if (!row) return row.error();
    if (!*row) break;
    std::vector<std::string>& fields = **row;
    if (!header) {
      header.emplace(std::move(fields));
      if (!header->HasAll({"name", "sms", "lanes", "fp32", "bandwidth", "l2"})) {
        return reader.At("the header of a table of devices is missing",
                         "the first line names the columns: name, sms, lanes, fp32, bandwidth, l2 "
                         "and more, see gprof-x-forecast(1)");
      }
      continue;
    }
    if (fields.size() != header->size()) {
      return reader.At("the line has " + std::to_string(fields.size()) + " columns instead of " +
                       std::to_string(header->size()));
    }
    Device device;
    device.name = fields[*header->Find("name")];
    if (device.name.empty()) return reader.At("the device has no name", "fill in the column name");
    if (const auto column = header->Find("aliases")) {
      std::string_view rest = fields[*column];
      while (!rest.empty()) {
        const size_t end = std::min(rest.find('|'), rest.size());
        if (end > 0) device.aliases.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    if (const auto column = header->Find("class")) {
      const std::optional<DeviceClass> kind = ParseClass(fields[*column]);
      if (!kind) {
        return reader.At("unknown class '" + fields[*column] + "'",
                         "use server, workstation, inference or matrix");
      }
      device.kind = *kind;
    }
    for (const NumberColumn& number : kNumbers) {
      const auto column = header->Find(number.name);
      if (!column) continue;
      const std::optional<double> value = ParseNumber(fields[*column]);
      if (!value || !Takes(number, *value)) {
        return reader.At("'" + fields[*column].substr(0, 40) + "' is not a value for column " +
                             std::string(number.name),
                         RangeText(number));
      }
      device.*number.field = *value;
    }
    devices.push_back(std::move(device));
  }
  if (devices.empty()) {
    return Error{ErrorId::kEmptyFile, "'" + file + "' has no devices",
                 "describe one device per line"};
  }
  return devices;
}

std::string DevicesCsv(const std::vector<Device>& devices) {
  std::string text = "name,aliases,class";
  for (const NumberColumn& number : kNumbers) text += std::string(",") + number.name;
  text += "\n";
  for (const Device& device : devices) {
    const std::string aliases = JoinedBy(device.aliases, "|");
    text += CsvField(device.name) + "," + CsvField(aliases) + "," + FactsOf(device).word;
    for (const NumberColumn& number : kNumbers) text += Format(",%.6g", device.*number.field);
    text += "\n";
  }
  return text;
}

const std::vector<Device>& BuiltInDevices() {
  static const std::vector<Device> devices = [] {
    Result<std::vector<Device>> parsed = ParseDevices(kDevicesCsv, "devices.csv");
    return *parsed;  // cannot fail: a test parses the same text
  }();
  return devices;
}

}  // namespace gprofx::forecast
