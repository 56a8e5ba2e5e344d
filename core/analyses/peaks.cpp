// Gives the peak performance of devices from their data sheets, and says which of the peaks limits
// which work.
#include <algorithm>
#include <iterator>

#include "core/analyses/work.h"
#include "core/kernels/kernel_family.h"

namespace gprofx::analyses {
namespace {

// Peak performance of a device from its data sheet. The unit is 10^12 dense FLOP per second, and
// 10^9 bytes per second for `memory`. f32 runs on ordinary cores; tf32, f16 and bf16 run on tensor
// (matrix) cores.
struct Sheet {
  std::string_view name;  // must occur in the device name as whole words
  double f64, f64_tensor, f32, tf32, f16, bf16, e4m3, memory;
};
constexpr Sheet kSheets[] = {
    {"H200", 33.5, 66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 4800},
    {"H100 80GB HBM3", 33.5, 66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 3352},
    {"H100 PCIe", 25.6, 51.2, 51.2, 378, 756, 756, 1513, 2039},
    {"A100-SXM4-80GB", 9.7, 19.5, 19.5, 156, 312, 312, 0, 2039},
    {"A100-SXM4-40GB", 9.7, 19.5, 19.5, 156, 312, 312, 0, 1555},
    {"A100-PCIE-40GB", 9.7, 19.5, 19.5, 156, 312, 312, 0, 1555},
    {"V100-SXM2", 7.8, 0, 15.7, 0, 125, 0, 0, 900},
    {"Tesla T4", 0.25, 0, 8.1, 0, 65, 0, 0, 320},
    {"L40S", 1.43, 0, 91.6, 183, 362, 362, 733, 864},
    {"L4", 0.47, 0, 30.3, 60, 121, 121, 242, 300},
    {"MI300X", 81.7, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 5300},
};

// True if `text` contains `words` as whole words: an L40 is not an L4.
bool HoldsWords(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos) return false;
  const size_t end = at + words.size();
  return (at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ');
}

// Returns the number type of a unit, in the form that PeaksOf() accepts. Returns "f32" if the unit
// is unknown, and "" for 16-bit numbers on ordinary cores, whose peak is not known.
std::string TypeOfUnit(const std::optional<FlopUnit>& unit) {
  constexpr const char* kTypes[kFlopUnits] = {"f64",  "f32", "",     "f64 tensor",
                                              "tf32", "f16", "bf16", "e4m3"};
  return unit ? kTypes[static_cast<size_t>(*unit)] : "f32";
}

}  // namespace

std::string TypeOfWork(const AnalysisContext& context, const WorkOfNode& work) {
  if (work.from == WorkFrom::kMeasured) return TypeOfUnit(work.unit);
  if (work.kernel == 0) return "";
  const std::string what = WhatKernelDoes(context.profile.Text(StringId{work.kernel})).what;
  if (work.from != WorkFrom::kLaunch) return std::string(TypeInName(what));
  const bool is_double = what.find("f64") != what.npos || what.find("c128") != what.npos;
  return is_double ? "f64" : "f32";
}

std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type) {
  const auto sheet = std::find_if(std::begin(kSheets), std::end(kSheets),
                                  [&](const Sheet& row) { return HoldsWords(device, row.name); });
  if (sheet == std::end(kSheets)) return std::nullopt;
  const double peak = type == "f64"          ? sheet->f64
                      : type == "f64 tensor" ? sheet->f64_tensor
                      : type == "f32"        ? sheet->f32
                      : type == "tf32"       ? sheet->tf32
                      : type == "f16"        ? sheet->f16
                      : type == "bf16"       ? sheet->bf16
                      : type == "e4m3"       ? sheet->e4m3
                                             : 0;
  if (peak <= 0) return std::nullopt;
  return DevicePeaks{peak * 1e12, sheet->memory * 1e9};
}

std::string_view TypeInName(std::string_view short_name) {
  for (size_t begin = 0; begin < short_name.size();) {
    const size_t end = std::min(short_name.find(' ', begin), short_name.size());
    const std::string_view word = short_name.substr(begin, end - begin);
    for (const std::string_view type : {"f64", "f32", "tf32", "f16", "bf16", "e4m3"}) {
      if (word == type) return type;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace gprofx::analyses
