#include <unistd.h>

#include <catch2/catch.hpp>

#include "cli/record.h"

namespace gprofx {
namespace {

recorder::RecordOptions Parsed(const std::vector<std::string>& args) {
  auto record = ParseRecord(args);
  INFO((record ? "" : record.error().Text()));
  REQUIRE(record);
  return record->options;
}

TEST_CASE("The command begins behind -- or at the first word that is no option") {
  CHECK(Parsed({"ls", "-l"}).command == std::vector<std::string>{"ls", "-l"});
  CHECK(Parsed({"--", "ls", "-q"}).command == std::vector<std::string>{"ls", "-q"});
  CHECK(Parsed({"-F", "99", "ls", "-F"}).command == std::vector<std::string>{"ls", "-F"});
  CHECK(Parsed({"-F99", "-q", "ls"}).command == std::vector<std::string>{"ls"});
  CHECK(Parsed({"--output=x", "--", "--odd"}).command == std::vector<std::string>{"--odd"});
  CHECK(Parsed({"-o", "x", "ls", "--", "a"}).command == std::vector<std::string>{"ls", "--", "a"});
}

TEST_CASE("Options are understood") {
  const recorder::RecordOptions o = Parsed(
      {"-o", "x.gprofx", "-F", "99", "--clock", "wall", "--python", "off", "--children", "no",
       "--delay", "0.5", "--duration", "2", "--timeline", "no", "--no-cache", "--debuginfod", "x"});
  CHECK(o.output == "x.gprofx");
  CHECK(o.named);
  CHECK_FALSE(o.force);
  CHECK(o.plan.rate == 99);
  CHECK(o.plan.wall_clock);
  CHECK_FALSE(o.plan.python);
  CHECK_FALSE(o.plan.follow_children);
  CHECK(o.delay_s == 0.5);
  CHECK(o.duration_s == 2);
  CHECK_FALSE(o.timeline);
  CHECK_FALSE(o.use_cache);
  CHECK(o.use_debuginfod);
}

TEST_CASE("The GPU side is chosen") {
  CHECK(Parsed({"x"}).gpu.choice == GpuChoice::kAuto);
  CHECK(Parsed({"x"}).gpu.pc_period == 0);
  CHECK(Parsed({"--gpu", "trace", "x"}).gpu.choice == GpuChoice::kTrace);
  CHECK(Parsed({"--gpu=off", "x"}).gpu.choice == GpuChoice::kOff);
  CHECK(Parsed({"--gpu=pc", "--pc-period", "16", "x"}).gpu.pc_period == 16);
  CHECK(Parsed({"--gpu=pc", "--pc-period=auto", "x"}).gpu.pc_period == 0);
  CHECK(MakeGpuPlan(Parsed({"--gpu=pc", "--pc-period=5", "x"}).gpu).pc_period == 5);
  CHECK(MakeGpuPlan({}).mode == wire::kModePc);
  CHECK(MakeGpuPlan({GpuChoice::kTrace, 0}).mode == wire::kModeTrace);
  CHECK(MakeGpuPlan({GpuChoice::kOff, 0}).mode == wire::kModeOff);
}

TEST_CASE("Defaults depend on the clock") {
  CHECK(Parsed({"x"}).plan.rate == kDefaultRate);
  CHECK(Parsed({"--clock", "wall", "x"}).plan.rate == kDefaultWallRate);
  CHECK(Parsed({"--clock=wall", "-F", "200", "x"}).plan.rate == 200);
  CHECK(Parsed({"x"}).output == "profile.gprofx");
  CHECK_FALSE(Parsed({"x"}).named);
  CHECK(Parsed({"--force", "x"}).force);
  CHECK(Parsed({"-o", "a%%b", "x"}).output == "a%b");
  CHECK(Parsed({"-o", "%p", "x"}).output == std::to_string(getpid()));
  CHECK(Parsed({"x"}).timeline);
  CHECK(Parsed({"x"}).gpu.budget == 50);  // 5 %
  CHECK(Parsed({"--overhead", "none", "x"}).gpu.budget == 0);
  CHECK(Parsed({"--overhead", "5", "x"}).gpu.budget == 50);
  CHECK(Parsed({"--overhead", "0.5", "x"}).gpu.budget == 5);
  CHECK(Parsed({"--control", "fifo:a,b", "x"}).control == "fifo:a,b");
}

TEST_CASE("Mistakes are one line with a way out") {
  const std::vector<std::vector<std::string>> mistakes = {
      {},
      {"--"},
      {"--", ""},
      {"-F", "0", "x"},
      {"-F", "1e9", "x"},
      {"-F", "inf", "x"},
      {"-F", "nan", "x"},
      {"-F", "99x", "x"},
      {"--freq", "99", "x"},
      {"--clock", "gpu", "x"},
      {"--gpu", "on", "x"},
      {"--pc-period", "4", "x"},
      {"--pc-period", "32", "x"},
      {"--pc-period", "2^16", "x"},
      {"--overhead", "0", "x"},
      {"--overhead", "101", "x"},
      {"--overhead", "nan", "x"},
      {"--overhead", "5%", "x"},
      {"--delay", "-1", "x"},
      {"--duration", "0", "x"},
      {"--children", "maybe", "x"},
      {"-q", "-v", "x"},
      {"-o", "-", "x"},
      {"-o", "%z", "x"},
      {"-o", "", "x"},
      {"-o"},
  };
  for (const auto& args : mistakes) {
    const auto record = ParseRecord(args);
    INFO((args.empty() ? "" : args[0]));
    REQUIRE_FALSE(record);
    CHECK(record.error().Text().find('\n') == std::string::npos);
    // What the option needs is the way out.
    const bool says_need = record.error().what.find(" needs ") != std::string::npos;
    CHECK((says_need || !record.error().fix.empty()));
  }
}

}  // namespace
}  // namespace gprofx
