// Devices: the table that is built in, names in any spelling, files of one's own.
#include "core/forecast/device/device.h"
#include "core/forecast/device/measured_device.h"

#include <catch2/catch.hpp>

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

const Device* Named(std::string_view name) {
  const Result<const Device*> device = FindDevice(BuiltInDevices(), name);
  INFO(name);
  REQUIRE(device);
  return *device;
}

constexpr char kHeader[] = "name,sms,lanes,fp32,bandwidth,l2\n";

}  // namespace

TEST_CASE("names of devices in the spellings of other tools") {
  for (const char* name : {"NVIDIA H100 80GB HBM3", "NVIDIA_H100_80GB_HBM3", "h100_sxm", "H100",
                           "H100-SXM", "h100 sxm"}) {
    CHECK(Named(name)->name == "H100-SXM");
  }
  CHECK(Named("NVIDIA_A100_80GB_PCIe")->name == "A100-PCIe-80GB");
  CHECK(Named("NVIDIA A100-SXM4-80GB")->name == "A100-SXM-80GB");
  CHECK(Named("Tesla_P100-PCIE-16GB")->name == "P100-PCIe");
  CHECK(Named("rtx_pro_6000_server")->name == "RTX-Pro-6000");
  CHECK(Named("AMD Instinct MI210")->name == "MI210");
  for (const char* name : {"a30", "l4", "l40s", "h200_sxm", "b200_sxm", "gb200", "b300_sxm",
                           "gb300", "NVIDIA L4", "Tesla T4", "mi300x", "a100_pcie"}) {
    Named(name);
  }
}

TEST_CASE("no two devices answer to one name") {
  for (const Device& device : BuiltInDevices()) {
    CHECK(Named(device.name) == &device);
    for (const std::string& alias : device.aliases) CHECK(Named(alias) == &device);
  }
}

TEST_CASE("an unknown name is answered with near ones") {
  const Result<const Device*> device = FindDevice(BuiltInDevices(), "H10O");
  REQUIRE_FALSE(device);
  CHECK(device.error().fix.find("H100") != std::string::npos);
  CHECK_FALSE(FindDevice(BuiltInDevices(), ""));
  CHECK_FALSE(FindDevice(BuiltInDevices(), std::string(100'000, 'x')));
}

TEST_CASE("nothing sustains more than its specification") {
  for (const Device& device : BuiltInDevices()) {
    INFO(device.name);
    CHECK(SustainedCopy(device).value < device.bandwidth * 1e9);
    for (const NumberType type : {NumberType::kFp32, NumberType::kBf16, NumberType::kFp8}) {
      CHECK(SustainedGemm(device, type).value <= PeakFlops(device, type));
      CHECK(SustainedGemm(device, type).value > 0);
    }
    CHECK(device.l2_mb > 0);
    CHECK(device.watt > 0);
  }
}

TEST_CASE("a file of one's own") {
  const auto devices = ParseDevices(std::string(kHeader) + "X1,10,128,20,500,8\n", "own.csv");
  REQUIRE(devices);
  CHECK(devices->front().bandwidth == 500);
  CHECK_FALSE(SustainedCopy(devices->front()).measured);
  struct Wrong {
    const char *rows, *says;
  };
  for (const Wrong& wrong :
       {Wrong{"X1,10,128,20,500\n", "own.csv:2: the line has 5 columns"},
        Wrong{"X1,10,128,20,500,0\n", "own.csv:2: '0' is not a value for column l2"},
        Wrong{"X1,10,128,-1,500,8\n", "own.csv:2: '-1' is not a value for column fp32"},
        Wrong{"X1,10,128,1e-300,500,8\n", "own.csv:2: '1e-300' is not a value for column fp32"},
        Wrong{"X1,10,128,20,1e300,8\n", "own.csv:2: '1e300' is not a value for column bandwidth"},
        Wrong{"X1,0.5,128,20,500,8\n", "own.csv:2: '0.5' is not a value for column sms"},
        Wrong{",10,128,20,500,8\n", "own.csv:2: the device has no name"},
        Wrong{"", "'own.csv' has no devices"}}) {
    const auto broken = ParseDevices(std::string(kHeader) + wrong.rows, "own.csv");
    REQUIRE_FALSE(broken);
    CHECK(broken.error().what.find(wrong.says) == 0);
  }
  CHECK_FALSE(ParseDevices("name,price\nX1,3\n", "own.csv"));
  const auto fix = ParseDevices(std::string(kHeader) + "X1,10,128,0,500,8\n", "own.csv");
  CHECK(fix.error().fix == "write a number from 0.001 to 1000000");
}

TEST_CASE("a table of devices is read as it was written") {
  Device odd = BuiltInDevices().at(0);
  odd.name = "a \"b\", c";
  odd.aliases = {"x", "y z"};
  const std::vector<Device> devices = {odd, BuiltInDevices().back()};
  const auto read = ParseDevices(DevicesCsv(devices), "t.csv");
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK(IsSameDevice(read->at(0), odd));
  CHECK(read->at(0).aliases == odd.aliases);
  CHECK(IsSameDevice(read->at(1), devices[1]));
}

TEST_CASE("a measured device keeps what is known of its name") {
  const auto measured = ParseMeasurement(
      "name NVIDIA H200\nsms 132\ncopy_bytes_per_s 4.1e12\ngemm32_flop_per_s 5.2e13\nx\n");
  REQUIRE(measured);
  const Device device = DeviceFrom(*measured, BuiltInDevices());
  CHECK(device.name == "H200");
  CHECK(device.copy == Approx(4100));
  CHECK(device.gemm32 == Approx(52));
  CHECK(device.gemm16 == 760);  // of the built-in table
  CHECK(device.link == 450);
}

TEST_CASE("a measured device that nobody knows is described by its driver") {
  const auto measured = ParseMeasurement(
      "name NVIDIA New One\nclock_khz 2000000\nsms 100\nmemory_khz 2000000\nbus_bits 4096\n"
      "l2_bytes 60000000\nthreads 2048\ncompute_major 9\ncompute_minor 0\n"
      "memory_bytes 96000000000\ncopy_bytes_per_s 1.8e12\nno_products libcublas was not found\n");
  REQUIRE(measured);
  const Device device = DeviceFrom(*measured, BuiltInDevices());
  CHECK(device.fp32 == Approx(51.2));
  CHECK(device.bf16 == Approx(819.2));
  CHECK(device.bandwidth == Approx(2048));
  CHECK(measured->no_products == "libcublas was not found");
  CHECK(ParseDevices(DevicesCsv({device}), "t.csv"));
}

TEST_CASE("a measurement that ended early is an error") {
  CHECK_FALSE(ParseMeasurement(""));
  CHECK_FALSE(ParseMeasurement("name X\n"));
  const auto failed = ParseMeasurement("error there is no such GPU\n");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().what == "there is no such GPU");
}

}  // namespace gprofx::testing
