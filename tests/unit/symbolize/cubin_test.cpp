// Functions and lines of cubins that nvcc and Triton made, against the sources they were made from.
#include <set>

#include "cubin_support.h"
#include "symbolize/cubin/cubin_elf.h"

namespace gprofx::testing {
namespace {

constexpr uint64_t kInstruction = 16;

using Chain = std::vector<std::pair<std::string, uint32_t>>;  // function, line

std::set<Chain> Chains(const Cubin& cubin, const std::string& function, const std::string& source) {
  const CubinFunction* found = cubin.FindFunction(function);
  REQUIRE(found != nullptr);
  std::set<Chain> chains;
  for (uint64_t offset = 0; offset < found->size; offset += kInstruction) {
    Chain chain;
    for (const CubinLine& line : cubin.LinesAt(*found, offset)) {
      CHECK(line.file == "/opt/example/" + source);
      chain.push_back({line.function, line.line});
    }
    chains.insert(chain);
  }
  return chains;
}

const char* const kWithLines[] = {"lines-sm_90.cubin", "lines-sm_75.cubin", "parts-sm_90.cubin"};

}  // namespace

TEST_CASE("kernels and device functions of a cubin") {
  const auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  CHECK(cubin->architecture() == 90);
  std::set<std::string> kernels, others;
  for (const CubinFunction& function : cubin->functions()) {
    (function.kernel ? kernels : others).insert(function.name);
    CHECK(cubin->FindFunction(function.name) == &function);
  }
  CHECK(kernels == std::set<std::string>{"_Z5ChainPfi", "_Z6CallerPfi", "_Z6SharedIfLi3EEvPT_",
                                         "_Z6SharedIdLi5EEvPT_"});
  CHECK(others == std::set<std::string>{"$_Z6CallerPfi$_Z5Apartfi"});
  CHECK(cubin->FindFunction("Chain") == nullptr);

  const CubinFunction* caller = cubin->FindFunction("_Z6CallerPfi");
  const CubinFunction* apart = cubin->FindFunction("$_Z6CallerPfi$_Z5Apartfi");
  REQUIRE(apart->offset > 0);
  CHECK(cubin->FunctionAt(*caller, apart->offset - 1) == caller);
  CHECK(cubin->FunctionAt(*caller, apart->offset) == apart);
  CHECK(cubin->FunctionAt(*caller, apart->offset + apart->size - 1) == apart);
  CHECK(cubin->FunctionAt(*caller, apart->offset + apart->size) == caller);
  const CubinFunction* chain = cubin->FindFunction("_Z5ChainPfi");
  CHECK(cubin->FunctionAt(*chain, apart->offset) == chain);
}

TEST_CASE("an architecture is read from both layouts of the flags") {
  const auto old_layout = ReadBytes("triton-sm_90.cubin");
  REQUIRE(old_layout[EI_OSABI] != std::byte{0x41});
  CHECK(Cubin::Open(old_layout)->architecture() == 90);
  CHECK(Cubin::Open(ReadBytes("lines-sm_75.cubin"))->architecture() == 75);
}

TEST_CASE("functions without the mark of entry points are kernels by their section") {
  auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto elf = CubinElf::Open(bytes);
  REQUIRE(elf);
  const Elf64_Shdr table = elf->sections()[elf->symbol_section()].header;
  for (size_t i = 0; i < elf->symbols().size(); ++i) {
    bytes[table.sh_offset + i * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_other)] = std::byte{0};
  }
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  CHECK(cubin->FindFunction("_Z5ChainPfi")->kernel);
  CHECK_FALSE(cubin->FindFunction("$_Z6CallerPfi$_Z5Apartfi")->kernel);
}

TEST_CASE("chains of inlined calls lead to the statements") {
  const char* file = "lines.cu";
  const uint32_t deep = MarkedLine(file, "deep"), middle = MarkedLine(file, "middle"),
                 outer = MarkedLine(file, "outer"), chain = MarkedLine(file, "chain");
  for (const char* name : kWithLines) {
    INFO(name);
    const auto bytes = ReadBytes(name);
    const auto cubin = Cubin::Open(bytes);
    REQUIRE(cubin);
    CHECK(cubin->HasLines());
    const auto chains = Chains(*cubin, "_Z5ChainPfi", file);
    CHECK(chains.count({{"_Z5ChainPfi", chain}}) == 1);
    CHECK(chains.count({{"_Z5ChainPfi", chain}, {"_Z5Outerfi", outer}, {"_Z6Middlefi", middle}}) ==
          1);
    CHECK(chains.count({{"_Z5ChainPfi", chain},
                        {"_Z5Outerfi", outer},
                        {"_Z6Middlefi", middle},
                        {"_Z4Deepff", deep}}) == 1);
    CHECK(chains.count({}) == 0);
  }
}

TEST_CASE("each kernel of a module has its own lines") {
  const char* file = "lines.cu";
  for (const char* name : kWithLines) {
    INFO(name);
    const auto bytes = ReadBytes(name);
    const auto cubin = Cubin::Open(bytes);
    REQUIRE(cubin);
    const uint32_t load = MarkedLine(file, "load"), barrier = MarkedLine(file, "barrier"),
                   store = MarkedLine(file, "store"), poly = MarkedLine(file, "poly");
    for (const auto& [kernel, inlined] :
         {std::pair("_Z6SharedIfLi3EEvPT_", "_Z4PolyIfLi3EET_S0_"),
          std::pair("_Z6SharedIdLi5EEvPT_", "_Z4PolyIdLi5EET_S0_")}) {
      const auto chains = Chains(*cubin, kernel, file);
      CHECK(chains.count({{kernel, load}}) == 1);
      CHECK(chains.count({{kernel, barrier}}) == 1);
      CHECK(chains.count({{kernel, store}, {inlined, poly}}) == 1);
      for (const Chain& chain : chains) CHECK(chain.at(0).first == kernel);
    }
  }
}

TEST_CASE("a device function that is called has lines of its own") {
  const uint32_t apart = MarkedLine("lines.cu", "apart"), caller = MarkedLine("lines.cu", "caller");
  const auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  // The kernel's symbol reaches to the end of its section: the device function is within.
  const auto chains = Chains(*cubin, "_Z6CallerPfi", "lines.cu");
  CHECK(chains.count({{"_Z6CallerPfi", caller}}) == 1);
  CHECK(chains.count({{"_Z5Apartfi", apart}}) == 1);
  for (const Chain& chain : Chains(*cubin, "$_Z6CallerPfi$_Z5Apartfi", "lines.cu")) {
    CHECK(chain.at(0) == std::pair(std::string("_Z5Apartfi"), apart));
  }
  // With -rdc it has a section of its own and is no kernel.
  const auto parts_bytes = ReadBytes("parts-sm_90.cubin");
  const auto parts = Cubin::Open(parts_bytes);
  REQUIRE(parts);
  REQUIRE(parts->FindFunction("_Z5Apartfi") != nullptr);
  CHECK_FALSE(parts->FindFunction("_Z5Apartfi")->kernel);
  CHECK(Chains(*parts, "_Z5Apartfi", "lines.cu").count({{"_Z5Apartfi", apart}}) == 1);
}

TEST_CASE("kernels of Triton lead to lines of Python") {
  const auto bytes = ReadBytes("triton-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  const auto chains = Chains(*cubin, "scale", "scale.py");
  for (const char* mark : {"damp", "load", "store"}) {
    CHECK(chains.count({{"scale", MarkedLine("scale.py", mark)}}) == 1);
  }
}

TEST_CASE("a module without line tables has functions") {
  const auto bytes = ReadBytes("plain-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  CHECK_FALSE(cubin->HasLines());
  REQUIRE(cubin->FindFunction("_Z5ChainPfi") != nullptr);
  CHECK(cubin->LinesAt(*cubin->FindFunction("_Z5ChainPfi"), 0).empty());
}

TEST_CASE("line tables of unknown versions give no lines") {
  auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto elf = CubinElf::Open(bytes);
  REQUIRE(elf);
  const uint64_t lines = elf->sections()[elf->Find(".debug_line")].header.sh_offset;
  REQUIRE(bytes[lines + 4] == std::byte{2});
  for (const int version : {0, 1, 5, 6}) {
    bytes[lines + 4] = static_cast<std::byte>(version);
    CHECK_FALSE(Cubin::Open(bytes)->HasLines());
  }
}

TEST_CASE("what is no cubin is one line") {
  for (const std::string text : {"",
                                 "\x7f"
                                 "ELF",
                                 "#!/bin/sh"}) {
    const auto cubin = Cubin::Open(std::as_bytes(std::span(text)));
    REQUIRE_FALSE(cubin);
    CHECK(cubin.error().Text().find("cubin") != std::string::npos);
  }
  auto bytes = ReadBytes("plain-sm_90.cubin");
  bytes[EI_CLASS] = std::byte{ELFCLASS32};
  CHECK_FALSE(Cubin::Open(bytes));
}

TEST_CASE("a cubin without the end of its section headers is refused") {
  const auto bytes = ReadBytes("lines-sm_75.cubin");
  const auto header = LoadAt<Elf64_Ehdr>(bytes, 0);
  REQUIRE(header);
  const uint64_t end = header->e_shoff + uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
  REQUIRE(end <= bytes.size());
  CHECK(Cubin::Open(Bytes(bytes).subspan(0, end)));
  for (uint64_t size = 0; size < end; size += 61) {
    CHECK_FALSE(Cubin::Open(Bytes(bytes).subspan(0, size)));
  }
}

TEST_CASE("names that are all one long text are refused") {
  constexpr size_t kSymbols = 2000, kName = 20'000;
  std::vector<std::byte> bytes(sizeof(Elf64_Ehdr));
  const auto put = [&](const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  const std::string name = std::string(kName, 'x') + '\0';
  const uint64_t texts = bytes.size();
  put(name.data(), name.size());
  const uint64_t symbols = bytes.size();
  const Elf64_Sym symbol = {};
  for (size_t i = 0; i < kSymbols; ++i) put(&symbol, sizeof symbol);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = 190;
  header.e_shoff = bytes.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 0;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_type = SHT_SYMTAB;
  sections[1].sh_offset = symbols;
  sections[1].sh_size = kSymbols * sizeof(Elf64_Sym);
  sections[1].sh_entsize = sizeof(Elf64_Sym);
  sections[1].sh_link = 2;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = texts;
  sections[2].sh_size = name.size();
  put(sections, sizeof sections);
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto cubin = Cubin::Open(bytes);
  REQUIRE_FALSE(cubin);
  CHECK(cubin.error().Text().find("names overlap") != std::string::npos);
}

TEST_CASE("places outside of a function have no lines") {
  const auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  const CubinFunction* chain = cubin->FindFunction("_Z5ChainPfi");
  CHECK(cubin->LinesAt(*chain, chain->size).empty());
  CHECK(cubin->LinesAt(*chain, ~uint64_t{0}).empty());
}

}  // namespace gprofx::testing
