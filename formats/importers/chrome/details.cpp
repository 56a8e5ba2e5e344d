#include "formats/importers/chrome/details.h"

#include "formats/importers/call_words.h"

namespace gprofx::importers {
namespace {

// Returns the text after `key`, up to the next blank, in details like "regs:32 grid:1,2,3".
std::string_view Detail(std::string_view details, std::string_view key) {
  for (size_t at = details.find(key); at != std::string_view::npos;
       at = details.find(key, at + 1)) {
    if (at != 0 && details[at - 1] != ' ') continue;
    const std::string_view rest = details.substr(at + key.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

void ReadSize(std::string_view text, uint32_t (&size)[3]) {
  for (uint32_t& part : size) {
    const size_t comma = text.find(',');
    part = NumberIn<uint32_t>(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
}

}  // namespace

GpuKernelConfig KernelDetails(std::string_view details) {
  GpuKernelConfig config;
  config.registers = NumberIn<uint32_t>(Detail(details, "regs:"));
  config.static_shared = NumberIn<uint32_t>(Detail(details, "static_shared:"));
  config.dynamic_shared = NumberIn<uint32_t>(Detail(details, "dynamic_shared:"));
  ReadSize(Detail(details, "grid:"), config.grid);
  ReadSize(Detail(details, "block:"), config.block);
  return config;
}

void ReadCopyDetails(std::string_view details, TraceWork& copy) {
  copy.bytes = NumberIn<int64_t>(Detail(details, "size:"));
  copy.source = MemoryKind(Detail(details, "kind_src:"));
  copy.target = MemoryKind(Detail(details, "kind_dst:"));
}

}  // namespace gprofx::importers
