#include "cli/doctor/measure.h"

#include "cli/doctor/places.h"
#include "cli/terminal/text.h"
#include "cli/text_file.h"
#include "core/base/format.h"
#include "core/forecast/device/measured_device.h"

namespace gprofx {
namespace {

constexpr int kMeasureMilliseconds = 60'000;
constexpr char kOption[] = "--measure-device";

std::string Line(const char* what, double value, const char* unit, double peak) {
  if (value <= 0) return Format("  %-22s not measured\n", what);
  if (peak <= 0) return Format("  %-22s %.4g %s\n", what, value, unit);
  return Format("  %-22s %.4g %s, %.0f%% of its specification\n", what, value, unit,
                100 * value / peak);
}

}  // namespace

std::vector<std::string> CublasCandidates(const std::vector<std::string>& packages,
                                          const std::vector<std::string>& homes) {
  std::vector<std::string> all = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
  for (const std::string& folder : packages) {
    all.push_back(folder + "/nvidia/cu13/lib/libcublas.so.13");
    all.push_back(folder + "/nvidia/cublas/lib/libcublas.so.12");
    all.push_back(folder + "/nvidia/cublas/lib/libcublas.so.11");
  }
  for (const std::string& home : homes) all.push_back(home + "/lib64/libcublas.so");
  return all;
}

Result<std::string> MeasureDevice(const std::string& file) {
  if (Status can = CheckTextFile(file, kOption); !can) return can.error();
  std::vector<std::string> question = CublasCandidates(PythonPackages(), CudaHomes());
  question.insert(question.begin(), {"device", "0"});
  const auto answer = AskForeign(std::move(question), kMeasureMilliseconds);
  if (!answer) {
    return Error{
        ErrorId::kGpuNotMeasured,
        "measuring the GPU takes longer than " + std::to_string(kMeasureMilliseconds / 1000) + " s",
        "end other programs on the GPU"};
  }
  const Result<forecast::DeviceMeasurement> measured = forecast::ParseMeasurement(*answer);
  if (!measured) return measured.error();
  const forecast::Device device = forecast::DeviceFrom(*measured, forecast::BuiltInDevices());
  const std::string table =
      "# Measured by gprof-x doctor --measure-device; for gprof-x forecast "
      "--device.\n" +
      forecast::DevicesCsv({device});
  if (Status done = ReplaceTextFile(file, table, kOption); !done) return done.error();
  std::string text = Printable(device.name) + "\n";
  text += Line("streaming addition", device.copy, "GB/s", device.bandwidth);
  text += Line("FP32 products", measured->gemm32 > 0 ? device.gemm32 : 0, "TFLOP/s", device.fp32);
  text +=
      Line("bfloat16 products", measured->gemm16 > 0 ? device.gemm16 : 0, "TFLOP/s", device.bf16);
  if (!measured->no_products.empty())
    text += "  products: " + Printable(measured->no_products) + "\n";
  const std::string name = Printable(file);
  return text + "written to " + name + "; use it with gprof-x forecast --device " + name + "\n";
}

}  // namespace gprofx
