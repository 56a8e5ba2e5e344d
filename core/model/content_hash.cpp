#include "core/model/content_hash.h"

namespace gprofx {
namespace {

std::string_view PathOf(const Profile& profile, ModuleId module) {
  return module ? profile.Text(profile.module(module).path) : std::string_view{};
}

uint64_t FunctionHash(const Profile& profile, FunctionId function) {
  return function ? HashOf(profile, profile.function(function)) : 0;
}

}  // namespace

ContentHash& ContentHash::Add(uint64_t number) {
  for (int i = 0; i < 8; ++i) state_ = AddToFnv(state_, number >> 8 * i & 0xff);
  return *this;
}

ContentHash& ContentHash::Add(std::string_view text) {
  Add(uint64_t{text.size()});
  for (const char c : text) state_ = AddToFnv(state_, static_cast<uint8_t>(c));
  return *this;
}

uint64_t HashOf(const Profile& profile, const Function& function) {
  return ContentHash()
      .Add("function")
      .Add(profile.Text(function.name))
      .Add(profile.Text(function.file))
      .Add(uint64_t{function.first_line})
      .Add(PathOf(profile, function.module))
      .value();
}

uint64_t HashOf(const Profile& profile, const Frame& frame) {
  ContentHash hash;
  hash.Add("frame")
      .Add(static_cast<uint64_t>(frame.kind))
      .Add(FunctionHash(profile, frame.function))
      .Add(profile.Text(frame.file))
      .Add(uint64_t{frame.line})
      .Add(PathOf(profile, frame.module))
      .Add(frame.address);
  if (frame.address != 0) {
    hash.Add(frame.module ? profile.Text(profile.module(frame.module).build_id) : "");
  }
  return hash.value();
}

uint64_t HashOf(const Profile& profile, const GpuKernelConfig& kernel) {
  ContentHash hash;
  hash.Add("kernel").Add(FunctionHash(profile, kernel.function));
  for (const uint32_t size : kernel.grid) hash.Add(uint64_t{size});
  for (const uint32_t size : kernel.block) hash.Add(uint64_t{size});
  hash.Add(uint64_t{kernel.registers})
      .Add(uint64_t{kernel.static_shared})
      .Add(uint64_t{kernel.dynamic_shared})
      .Add(uint64_t{kernel.local});
  return hash.value();
}

}  // namespace gprofx
