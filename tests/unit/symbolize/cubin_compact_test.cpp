// Compact keeps what it is asked to keep, exactly.
#include <algorithm>
#include <set>

#include "cubin_support.h"
#include "symbolize/cubin/cubin_elf.h"

namespace gprofx::testing {
namespace {

constexpr uint64_t kInstruction = 16;

void CheckSameLines(const Cubin& a, const CubinFunction& of_a, const Cubin& b,
                    const CubinFunction& of_b) {
  for (uint64_t offset = 0; offset < of_a.size; offset += kInstruction) {
    const auto want = a.LinesAt(of_a, offset), got = b.LinesAt(of_b, offset);
    REQUIRE(want.size() == got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      CHECK(want[i].function == got[i].function);
      CHECK(want[i].file == got[i].file);
      CHECK(want[i].line == got[i].line);
    }
  }
}

std::vector<std::byte> CodeOf(const std::vector<std::byte>& bytes, const CubinFunction& function) {
  const auto elf = CubinElf::Open(bytes);
  REQUIRE(elf);
  const Bytes code = elf->sections()[function.section].data.subspan(function.offset, function.size);
  return {code.begin(), code.end()};
}

// Every function of the new file is as in the old one: place, code and lines.
void CheckSame(const std::vector<std::byte>& old_bytes, const std::vector<std::byte>& new_bytes,
               const std::set<std::string>& functions) {
  const auto before = Cubin::Open(old_bytes), after = Cubin::Open(new_bytes);
  REQUIRE(after);
  CHECK(after->architecture() == before->architecture());
  std::set<std::string> names;
  for (const CubinFunction& now : after->functions()) {
    INFO(now.name);
    names.insert(now.name);
    const CubinFunction* then = before->FindFunction(now.name);
    REQUIRE(then != nullptr);
    CHECK(now.offset == then->offset);
    CHECK(now.size == then->size);
    CHECK(now.kernel == then->kernel);
    CHECK(CodeOf(old_bytes, *then) == CodeOf(new_bytes, now));
    CheckSameLines(*before, *then, *after, now);
  }
  CHECK(names == functions);
}

std::vector<std::string> KernelsOf(const Cubin& cubin) {
  std::vector<std::string> names;
  for (const CubinFunction& function : cubin.functions()) {
    if (function.kernel) names.push_back(function.name);
  }
  return names;
}

// What the code of `section` refers to: offset, type, addend and name of the symbol.
std::set<std::tuple<uint64_t, uint32_t, int64_t, std::string>> RelocationsOf(
    const std::vector<std::byte>& bytes, const std::string& section) {
  const auto elf = CubinElf::Open(bytes);
  const uint32_t found = elf->Find(section);
  REQUIRE(found != 0);
  std::set<std::tuple<uint64_t, uint32_t, int64_t, std::string>> out;
  if (elf->RelocationsOf(found) == 0) return out;
  for (const auto& relocation : elf->Relocations(elf->RelocationsOf(found))) {
    out.insert({relocation.offset, relocation.type, relocation.addend.value_or(0),
                std::string(elf->symbols().at(relocation.symbol).name)});
  }
  return out;
}

}  // namespace

TEST_CASE("a compact cubin has the kept functions and their lines") {
  for (const char* name : {"lines-sm_90.cubin", "lines-sm_75.cubin", "plain-sm_90.cubin",
                           "parts-sm_90.cubin", "triton-sm_90.cubin"}) {
    INFO(name);
    const auto bytes = ReadBytes(name);
    const auto cubin = Cubin::Open(bytes);
    REQUIRE(cubin);
    const auto kernels = KernelsOf(*cubin);
    for (const std::string& kernel : kernels) {
      INFO(kernel);
      const auto compact = cubin->Compact({kernel});
      CHECK(compact.size() < bytes.size() / 2);
      std::set<std::string> kept;
      for (const CubinFunction& function : cubin->functions()) {
        if (function.section == cubin->FindFunction(kernel)->section) kept.insert(function.name);
      }
      CheckSame(bytes, compact, kept);
      // Once more changes nothing.
      CHECK(Cubin::Open(compact)->Compact({kernel}) == compact);
    }
    std::set<std::string> all;
    for (const CubinFunction& function : cubin->functions()) all.insert(function.name);
    const auto compact = cubin->Compact({all.begin(), all.end()});
    CHECK(compact.size() < bytes.size());
    CheckSame(bytes, compact, all);
  }
}

TEST_CASE("what the code of a compact cubin refers to keeps its name") {
  const auto bytes = ReadBytes("parts-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  const std::string section = ".text._Z6CallerPfi";
  const auto before = RelocationsOf(bytes, section);
  REQUIRE_FALSE(before.empty());
  CHECK(RelocationsOf(cubin->Compact({"_Z6CallerPfi"}), section) == before);
}

TEST_CASE("a compact cubin holds no names of what it left out") {
  const auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto cubin = Cubin::Open(bytes);
  const auto compact = cubin->Compact({"_Z6SharedIfLi3EEvPT_"});
  const std::string text(reinterpret_cast<const char*>(compact.data()), compact.size());
  CHECK(text.find("_Z4PolyIfLi3EET_S0_") != std::string::npos);
  CHECK(text.find("_Z4Deepff") == std::string::npos);
  CHECK(text.find("_Z5ChainPfi") == std::string::npos);
}

TEST_CASE("code that calls itself relocations stays harmless") {
  auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto elf = CubinElf::Open(bytes);
  const uint64_t header =
      elf->header().e_shoff + elf->Find(".text._Z5ChainPfi") * sizeof(Elf64_Shdr);
  const uint32_t type = SHT_REL, info = 0x7fffffff;
  std::memcpy(bytes.data() + header + offsetof(Elf64_Shdr, sh_type), &type, sizeof type);
  std::memcpy(bytes.data() + header + offsetof(Elf64_Shdr, sh_info), &info, sizeof info);
  const auto cubin = Cubin::Open(bytes);
  REQUIRE(cubin);
  CHECK(Cubin::Open(cubin->Compact({"_Z5ChainPfi"})));
}

TEST_CASE("sections that overlap do not make a compact cubin larger") {
  auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto elf = CubinElf::Open(bytes);
  std::vector<std::string> all;
  const auto original = bytes;
  const auto cubin = Cubin::Open(original);
  for (const CubinFunction& function : cubin->functions()) {
    all.push_back(function.name);
    const uint64_t header = elf->header().e_shoff + function.section * sizeof(Elf64_Shdr);
    const uint64_t offset = 0, size = bytes.size();
    std::memcpy(bytes.data() + header + offsetof(Elf64_Shdr, sh_offset), &offset, sizeof offset);
    std::memcpy(bytes.data() + header + offsetof(Elf64_Shdr, sh_size), &size, sizeof size);
  }
  REQUIRE(all.size() > 3);
  const auto compact = Cubin::Open(bytes)->Compact(all);
  CHECK(compact.size() < 2 * bytes.size());
  CHECK(Cubin::Open(compact));
}

TEST_CASE("a compact cubin of nothing is a cubin") {
  const auto bytes = ReadBytes("lines-sm_90.cubin");
  const auto compact = Cubin::Open(bytes)->Compact({"no such function"});
  const auto empty = Cubin::Open(compact);
  REQUIRE(empty);
  CHECK(empty->functions().empty());
  CHECK_FALSE(empty->HasLines());
}

}  // namespace gprofx::testing
