// Any bytes as an ELF file: symbols, PLT stubs, debug links and small debug information, without
// the sandbox around them. DWARF is left out: libdw is not ours to mend, and runs in the sandbox
// for that reason.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "symbolize/dwarf/mini_debug_info.h"
#include "symbolize/elf/plt_names.h"
#include "symbolize/names/demangle.h"
#include "symbolize/names/symbol_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofx;
  const Result<ElfFile> file = ElfFile::FromView(std::as_bytes(std::span(data, size)), "fuzz");
  if (!file) return 0;
  std::vector<uint64_t> addresses;
  for (uint64_t address = 0; address < 0x4000; address += 0x40) addresses.push_back(address);
  SymbolNames names(addresses);
  names.AddTables(*file);
  for (const SymbolMatch& match : names.Finish()) Demangle(match.name);
  PltNames(*file, addresses);
  OpenMiniDebugInfo(*file);
  file->GnuDebugLink();
  if (file->BuildId().size() % 2 != 0) std::abort();
  return 0;
}
