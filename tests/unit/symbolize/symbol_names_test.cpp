#include "symbolize/names/symbol_names.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "core/model/address_name.h"
#include "symbolize/elf/function_starts.h"
#include "symbolize/elf/plt_names.h"
#include "symbolize/elf/vdso.h"
#include "symbolize/names/demangle.h"
#include "test_support.h"

namespace gprofx {
namespace {

std::string SymbolAt(const std::string& path, uint64_t address) {
  const Result<ElfFile> file = ElfFile::Open(path);
  REQUIRE(file.ok());
  const std::vector<uint64_t> addresses = {address};
  SymbolNames names(addresses);
  names.AddTables(*file);
  return std::string(names.Finish()[0].name);
}

TEST_CASE("a symbol names the addresses inside its size and no others") {
  const uint64_t sized = AddressOf(FIXTURE_PROGRAM, "asm_sized");
  REQUIRE(sized != 0);
  CHECK(SymbolAt(FIXTURE_PROGRAM, sized) == "asm_sized");
  CHECK(SymbolAt(FIXTURE_PROGRAM, sized + 1) == "asm_sized");
  CHECK(SymbolAt(FIXTURE_PROGRAM, sized + 2).empty());   // the gap behind it
  CHECK(SymbolAt(FIXTURE_PROGRAM, sized + 31).empty());  // its last byte
}

TEST_CASE("a symbol without a size reaches up to the next symbol") {
  const uint64_t sizeless = AddressOf(FIXTURE_PROGRAM, "asm_sizeless");
  const uint64_t after = AddressOf(FIXTURE_PROGRAM, "asm_after");
  REQUIRE(after == sizeless + 16);
  CHECK(SymbolAt(FIXTURE_PROGRAM, sizeless) == "asm_sizeless");
  CHECK(SymbolAt(FIXTURE_PROGRAM, after - 1) == "asm_sizeless");
  CHECK(SymbolAt(FIXTURE_PROGRAM, after) == "asm_after");
}

TEST_CASE("a label inside a function does not hide the function") {
  const uint64_t probe = AddressOf(FIXTURE_PROGRAM, "inline_probe");
  REQUIRE(probe != 0);
  CHECK(Demangle(SymbolAt(FIXTURE_PROGRAM, probe)) == "fixture::Outer(int)");
}

TEST_CASE("of several aliases the one without underscores is shown") {
  CHECK(SymbolAt(FIXTURE_PROGRAM, AddressOf(FIXTURE_PROGRAM, "__fixture_impl")) ==
        "fixture_public");
}

TEST_CASE("an indirect function is named at its resolver") {
  const uint64_t resolver = AddressOf(FIXTURE_LIBRARY, "LibraryIndirect");
  REQUIRE(resolver != 0);
  CHECK(SymbolAt(FIXTURE_LIBRARY, resolver) ==
        "LibraryIndirect");  // global before the local Choose
}

TEST_CASE("addresses outside of code have no name") {
  CHECK(SymbolAt(FIXTURE_PROGRAM, 0).empty());
  CHECK(SymbolAt(FIXTURE_PROGRAM, AddressOf(FIXTURE_PROGRAM, "_ZN7fixture4sinkE")).empty());
  CHECK(SymbolAt(FIXTURE_PROGRAM, UINT64_MAX).empty());
}

TEST_CASE("symbols agree with nm for every function") {
  const std::string listing = OutputOf(Quoted(NM) + " -S " + Quoted(FIXTURE_TEMPLATES));
  if (listing.empty()) {
    WARN("nm is not installed");
    return;
  }
  std::multimap<uint64_t, std::string> by_address;
  std::istringstream lines(listing);
  std::vector<uint64_t> addresses;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string start, size, type, name;
    if (!(words >> start >> size >> type >> name) ||
        std::string("TtWwVvi").find(type) == std::string::npos)
      continue;
    if (type == "V" || type == "v" || name == "data_start") continue;  // weak data
    addresses.push_back(std::stoull(start, nullptr, 16));
    by_address.emplace(addresses.back(), name);
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  REQUIRE(addresses.size() > 100);
  const Result<ElfFile> file = ElfFile::Open(FIXTURE_TEMPLATES);
  REQUIRE(file.ok());
  SymbolNames names(addresses);
  names.AddTables(*file);
  const std::vector<SymbolMatch> matches = names.Finish();
  for (size_t i = 0; i < addresses.size(); i++) {
    const auto [first, last] = by_address.equal_range(addresses[i]);
    INFO(matches[i].name);
    CHECK(std::any_of(first, last,
                      [&](const auto& entry) { return entry.second == matches[i].name; }));
    CHECK(matches[i].start == addresses[i]);
  }
}

TEST_CASE("stubs of the PLT carry the name of their function") {
  const Result<ElfFile> file = ElfFile::Open(FIXTURE_PROGRAM);
  REQUIRE(file.ok());
  std::vector<uint64_t> addresses;
  for (const ElfSection& section : file->sections()) {
    if (!section.name.starts_with(".plt")) continue;
    for (uint64_t i = 0; i < section.header.sh_size; i++)
      addresses.push_back(section.header.sh_addr + i);
  }
  std::sort(addresses.begin(), addresses.end());
  REQUIRE_FALSE(addresses.empty());
  std::map<std::string, int> bytes;
  for (const auto& [address, name] : PltNames(*file, addresses)) {
    bytes[name]++;
    CHECK(file->SectionAt(address)->name.starts_with(".plt"));
  }
  CHECK(bytes["LibraryCall@plt"] >= 8);
  CHECK(bytes["LibraryCallback@plt"] >= 8);
  CHECK(PltNames(*file, {AddressOf(FIXTURE_PROGRAM, "main")}).empty());
}

// int first(int), second(int); int calls(int n) { return first(n) + second(n + 1); }, linked by GNU
// ld 2.40 without and with -z force-bti -z pac-plt: stubs of 16 and of 24 bytes.
TEST_CASE("stubs of aarch64 carry the name of their function, whatever protects their branch") {
  struct Stub {
    const char* file;
    uint64_t begin, second, first, stub_bytes;
  };
  for (const Stub& stub : {Stub{"aarch64-plain.so", 0x260, 0x280, 0x290, 16},
                           Stub{"aarch64-protected.so", 0x2d0, 0x2f0, 0x308, 20}}) {
    const Result<ElfFile> file = ElfFile::Open(std::string("tests/data/stubs/") + stub.file);
    INFO(stub.file);
    REQUIRE(file.ok());
    std::vector<uint64_t> addresses;
    std::map<uint64_t, std::string> expected;
    for (const auto& [begin, name] :
         {std::pair{stub.second, "second@plt"}, {stub.first, "first@plt"}}) {
      for (uint64_t at = begin; at < begin + stub.stub_bytes; ++at) {
        addresses.push_back(at);
        expected[at] = name;
      }
    }
    CHECK(PltNames(*file, addresses) == expected);
    CHECK(
        PltNames(*file, {stub.begin, stub.begin + 8, stub.begin + 16}).empty());  // the resolver's
  }
}

TEST_CASE("the stub that the program calls is named as objdump names it") {
  CollectingSink sink;
  const std::string dump =
      OutputOf("objdump -d " + Quoted(FIXTURE_PROGRAM) + " 2>/dev/null | grep '@plt>:'");
  if (dump.empty()) {
    WARN("objdump is not installed");
    return;
  }
  SymbolRequest request{FIXTURE_PROGRAM, "", {}};
  std::map<uint64_t, std::string> expected;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('*') != std::string::npos) continue;
    const uint64_t address = std::stoull(line, nullptr, 16);
    expected[address] = line.substr(line.find('<') + 1, line.rfind('>') - line.find('<') - 1);
    request.addresses.push_back(address);
  }
  SymbolizeModule(request, LocalOptions("/nonexistent"), sink);
  REQUIRE(expected.size() >= 2);
  for (const auto& [address, name] : expected) {
    CHECK(FunctionsAt(sink.names, address) == std::vector<std::string>{name});
  }
}

TEST_CASE("the vdso is named from the one of this kernel") {
  const Result<ElfFile> vdso = ElfFile::FromView(OwnVdso(), "[vdso]");
  if (!vdso) {
    WARN("no vdso here");
    return;
  }
  uint64_t address = 0;
  for (const ElfSection& section : vdso->sections()) {
    if (section.header.sh_type != SHT_DYNSYM) continue;
    GElf_Sym symbol;
    Elf_Data* data = elf_getdata(section.handle, nullptr);
    for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; i++) {
      const std::string name = elf_strptr(vdso->get(), section.header.sh_link, symbol.st_name);
      if (name == "__vdso_clock_gettime") address = symbol.st_value;
    }
  }
  REQUIRE(address != 0);
  CollectingSink sink;
  SymbolizeModule({"[vdso]", vdso->BuildId(), {address}}, LocalOptions("/nonexistent"), sink);
  CHECK(FunctionsAt(sink.names, address) == std::vector<std::string>{"clock_gettime"});
  CollectingSink foreign;
  SymbolizeModule({"linux-vdso.so.1", "00112233", {address}}, LocalOptions("/nonexistent"),
                  foreign);
  CHECK(foreign.names.empty());
  CHECK(foreign.problems.size() == 1);
}

TEST_CASE("a stripped library's functions are told apart by where they begin") {
  const TempFolder folder;
  const std::string stripped = folder / "program";
  REQUIRE(Runs(std::string(OBJCOPY) + " --strip-all " + Quoted(FIXTURE_PROGRAM) + " " +
               Quoted(stripped)));
  const Result<ElfFile> whole = ElfFile::Open(FIXTURE_PROGRAM);
  const Result<ElfFile> file = ElfFile::Open(stripped);
  REQUIRE(whole.ok());
  REQUIRE(file.ok());
  // The oracle: sizes and starts as the symbol table of the unstripped file has them.
  std::istringstream symbols(OutputOf(std::string(NM) + " -S --defined-only " +
                                      Quoted(FIXTURE_PROGRAM) + " | grep -i ' [tw] '"));
  size_t compared = 0;
  std::string start_text, size_text, type, name;
  for (std::string line; std::getline(symbols, line);) {
    std::istringstream fields(line);
    if (!(fields >> start_text >> size_text >> type >> name)) continue;
    const uint64_t start = std::stoull(start_text, nullptr, 16);
    const uint64_t size = std::stoull(size_text, nullptr, 16);
    if (size < 2 || name.starts_with("asm_")) continue;
    // Of the C runtime.
    if ((name.starts_with("_") && !name.starts_with("_Z")) || name == "call_weak_fn") continue;
    INFO(line);
    const std::vector<uint64_t> addresses = {start, start + size / 2, start + size - 1};
    const std::map<uint64_t, uint64_t> starts = FunctionStarts(*file, addresses);
    for (const uint64_t address : addresses) {
      REQUIRE(starts.contains(address));
      CHECK(starts.at(address) == start);
    }
    CollectingSink sink;
    SymbolizeFiles(*file, nullptr, addresses, 10, sink);
    CHECK(FunctionsAt(sink.names, addresses[1]) ==
          std::vector<std::string>{AddressName(stripped, start)});
    ++compared;
  }
  CHECK(compared > 3);
  CHECK(FunctionStarts(*file, {0, 1, UINT64_MAX}).empty());
}

TEST_CASE("broken unwind information gives no starts, or those of its sound part") {
  const TempFolder folder;
  const std::string bytes = ReadFile(FIXTURE_LIBRARY);
  const Result<ElfFile> good = ElfFile::Open(FIXTURE_LIBRARY);
  REQUIRE(good.ok());
  const ElfSection* section = good->FindSection(".eh_frame");
  REQUIRE(section != nullptr);
  std::vector<uint64_t> addresses;
  for (const ElfSection& code : good->sections()) {
    for (uint64_t i = 0; code.IsCode() && i < code.header.sh_size; i += 4) {
      addresses.push_back(code.header.sh_addr + i);
    }
  }
  std::sort(addresses.begin(), addresses.end());
  CHECK_FALSE(FunctionStarts(*good, addresses).empty());
  for (uint64_t i = 0; i < section->header.sh_size; ++i) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string broken = bytes;
      broken[section->header.sh_offset + i] = value;
      const Result<ElfFile> file = ElfFile::FromMemory(broken, "broken");
      REQUIRE(file.ok());
      for (const auto& [address, start] : FunctionStarts(*file, addresses)) CHECK(start <= address);
    }
  }
}

TEST_CASE("names of places are told from names of functions") {
  CHECK(AddressName("/usr/lib/libcuda.so.1", 0x1a20) == "libcuda.so.1+0x1a20");
  CHECK(IsAddressName("libcuda.so.1+0x1a20"));
  for (const char* name : {"f", "", "+0x1", "lib+0x", "lib+0x1G", "operator+", "a+0x10 b"}) {
    INFO(name);
    CHECK_FALSE(IsAddressName(name));
  }
}

}  // namespace
}  // namespace gprofx
