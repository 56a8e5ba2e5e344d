#include "symbolize/cubin/cubin.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "symbolize/cubin/cubin_compact.h"
#include "symbolize/cubin/cubin_elf.h"
#include "symbolize/cubin/cubin_lines.h"

namespace gprofx {
namespace {

// EI_OSABI since CUDA 13; e_flags then have the architecture in other bits.
constexpr uint8_t kNewAbi = 0x41;

bool IsFunction(const CubinElf& elf, const CubinSymbol& symbol) {
  return symbol.type() == STT_FUNC && symbol.section != 0 && !symbol.name.empty() &&
         (elf.sections()[symbol.section].header.sh_flags & SHF_EXECINSTR) != 0;
}

bool HasOwnSection(const CubinElf& elf, const CubinSymbol& symbol) {
  constexpr std::string_view kText = ".text.";
  const std::string_view section = elf.sections()[symbol.section].name;
  return symbol.binding() != STB_LOCAL && section.substr(0, kText.size()) == kText &&
         section.substr(kText.size()) == symbol.name;
}

// Returns "function" for "$caller$function", the name of a function that was cloned into its
// caller. Returns other names unchanged.
std::string PlainName(const std::string& name) {
  const size_t dollar = name.front() == '$' ? name.rfind('$') : std::string::npos;
  return dollar == std::string::npos ? name : name.substr(dollar + 1);
}

}  // namespace

struct Cubin::Impl {
  CubinElf elf;
  LineTable lines;
  std::vector<CubinFunction> functions;
  std::unordered_map<std::string_view, size_t> by_name;  // the first function with each name
  // Positions in `functions` of device functions, sorted by section and offset.
  std::vector<size_t> by_place;

  void ReadFunctions();
};

void Cubin::Impl::ReadFunctions() {
  const std::vector<CubinSymbol>& symbols = elf.symbols();
  const bool marked =
      std::any_of(symbols.begin(), symbols.end(), [](const CubinSymbol& s) { return s.entry(); });
  for (size_t i = 0; i < symbols.size(); ++i) {
    const CubinSymbol& symbol = symbols[i];
    if (!IsFunction(elf, symbol)) continue;
    functions.push_back({std::string(symbol.name), static_cast<uint32_t>(i), symbol.raw.st_value,
                         symbol.raw.st_size, symbol.section,
                         marked ? symbol.entry() : HasOwnSection(elf, symbol)});
  }
  for (size_t i = 0; i < functions.size(); ++i) {
    by_name.emplace(functions[i].name, i);
    if (!functions[i].kernel) by_place.push_back(i);
  }
  std::sort(by_place.begin(), by_place.end(), [this](size_t a, size_t b) {
    const CubinFunction &x = functions[a], &y = functions[b];
    return std::tuple(x.section, x.offset, a) < std::tuple(y.section, y.offset, b);
  });
}

Result<Cubin> Cubin::Open(std::span<const std::byte> bytes) {
  Result<CubinElf> elf = CubinElf::Open(bytes);
  if (!elf) return elf.error();
  auto impl = std::make_unique<Impl>();
  impl->elf = std::move(*elf);
  impl->ReadFunctions();
  impl->lines = LineTable(impl->elf);
  return Cubin(std::move(impl));
}

Cubin::Cubin(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cubin::Cubin(Cubin&&) noexcept = default;
Cubin& Cubin::operator=(Cubin&&) noexcept = default;
Cubin::~Cubin() = default;

const std::vector<CubinFunction>& Cubin::functions() const { return impl_->functions; }

const CubinFunction* Cubin::FindFunction(std::string_view name) const {
  const auto found = impl_->by_name.find(name);
  return found == impl_->by_name.end() ? nullptr : &impl_->functions[found->second];
}

const CubinFunction* Cubin::FunctionAt(const CubinFunction& kernel, uint64_t offset) const {
  const uint64_t at = kernel.offset + offset;
  const auto& places = impl_->by_place;
  const auto next = std::upper_bound(places.begin(), places.end(), std::pair(kernel.section, at),
                                     [this](const auto& p, size_t i) {
                                       const CubinFunction& function = impl_->functions[i];
                                       return p < std::pair(function.section, function.offset);
                                     });
  if (next == places.begin()) return &kernel;
  const CubinFunction& function = impl_->functions[*std::prev(next)];
  const bool inside = function.section == kernel.section && at - function.offset < function.size;
  return inside ? &function : &kernel;
}

std::vector<CubinLine> Cubin::LinesAt(const CubinFunction& function, uint64_t offset) const {
  std::vector<CubinLine> lines;
  if (offset >= function.size) return lines;
  for (LineTable::Place& place : impl_->lines.At(function.section, function.offset + offset)) {
    lines.push_back({std::string(place.name), std::move(place.file), place.line});
  }
  if (!lines.empty() && lines[0].function.empty()) {
    lines[0].function = PlainName(FunctionAt(function, offset)->name);
  }
  return lines;
}

bool Cubin::HasLines() const { return !impl_->lines.empty(); }

uint32_t Cubin::architecture() const {
  const Elf64_Ehdr& header = impl_->elf.header();
  const uint32_t shift = header.e_ident[EI_OSABI] == kNewAbi ? 8 : 0;
  return header.e_flags >> shift & 0xff;
}

std::vector<std::byte> Cubin::Compact(const std::vector<std::string>& names) const {
  std::vector<bool> keep(impl_->elf.sections().size());
  for (const std::string& name : names) {
    if (const CubinFunction* function = FindFunction(name)) keep[function->section] = true;
  }
  return CompactCubin(impl_->elf, impl_->lines, keep);
}

}  // namespace gprofx
