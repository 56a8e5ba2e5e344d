// Runs in signal handlers, except Start: no allocation, no locks, bounded loops.
#include "samplers/agent/stacks/rows.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "samplers/agent/process/session.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

constinit UnwindRows g_rows;

namespace {

constexpr uint64_t kEntryBytes = 64;  // assumed code size of _start and of the loader's entry point
constexpr uint32_t kPageBits = 12;
static_assert(kCodePage == uint64_t{1} << kPageBits);

uint64_t PageKey(uint64_t pc) { return pc >> kPageBits ^ g_modules.generation() * wire::kGolden; }

// An entry of the page cache packs these numbers: 13 bits for the module, 7 for the offset of the
// search table, 14 for the length of the range in that table and 26 for the range's start.
static_assert(Modules::kSlots <= 1u << 13);
bool Packable(const FdeRange& fdes) {
  return fdes.low < 1u << 26 && fdes.high - fdes.low < 1u << 14 && fdes.table < 1u << 7;
}
uint64_t Pack(uint32_t module, const FdeRange& fdes) {
  return uint64_t{module} << 47 | uint64_t{fdes.table} << 40 |
         uint64_t{fdes.high - fdes.low} << 26 | fdes.low;
}
FdeRange Unpack(uint64_t value) {
  FdeRange fdes;
  fdes.low = value & ((1u << 26) - 1);
  fdes.high = fdes.low + static_cast<uint32_t>(value >> 26 & ((1u << 14) - 1));
  fdes.table = value >> 40 & 0x7f;
  return fdes;
}

// Returns the entry point of the loader, where the kernel starts execution; 0 = there is no loader.
// The code of the loader that runs constructors follows it.
uint64_t EntryOfLoader() {
  const uint64_t base = getauxval(AT_BASE);
  return base == 0 ? 0 : base + reinterpret_cast<const Elf64_Ehdr*>(base)->e_entry;
}

}  // namespace

void UnwindRows::Start() {
  entry_ = getauxval(AT_ENTRY);
  loader_entry_ = EntryOfLoader();
  if (cache_ != nullptr) return;
  void* p = mmap(nullptr, sizeof(Cache), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  cache_ = p == MAP_FAILED ? nullptr : static_cast<Cache*>(p);
}

void UnwindRows::FetchLeaf(uint64_t pc) const {
  const auto* ways = reinterpret_cast<const char*>(&cache_->leaves[LeafSetOf(pc)]);
  __builtin_prefetch(ways);
  __builtin_prefetch(ways + 64);
}

// Returns the module at `pc` and sets *fdes to the range of its search table that covers the page
// of `pc`. Returns null if that page is not in the cache.
const LoadedModule* UnwindRows::KnownPage(uint64_t pc, uint64_t key, FdeRange* fdes) const {
  const Page& page = cache_->pages[Hash(pc >> kPageBits) >> 40 & (kPages - 1)];
  const uint64_t value = page.value.load(std::memory_order_relaxed);
  if (value == 0 || (page.check.load(std::memory_order_relaxed) ^ value) != key) return nullptr;
  const LoadedModule* module = g_modules.At(static_cast<uint32_t>(value >> 47), pc);
  if (module != nullptr) *fdes = Unpack(value);
  return module;
}

void UnwindRows::RememberPage(uint64_t pc, uint64_t key, const LoadedModule& module,
                              const FdeRange& fdes) {
  if (fdes.table == 0 || !Packable(fdes)) return;
  const uint64_t value = Pack(g_modules.NumberOf(module), fdes);
  Page& page = cache_->pages[Hash(pc >> kPageBits) >> 40 & (kPages - 1)];
  page.value.store(value, std::memory_order_relaxed);
  page.check.store(key ^ value, std::memory_order_relaxed);
}

Row UnwindRows::Make(uint64_t pc, bool leaf, CodeRange* range) {
  g_session.Count(wire::kRowCacheMisses);
  *range = {pc, pc + 1};
  // Read the key first. If the module is unloaded meanwhile, the key no longer matches, and no
  // later lookup finds the entry.
  const uint64_t key = PageKey(pc);
  FdeRange fdes;
  const LoadedModule* module = KnownPage(pc, key, &fdes);
  const bool known = module != nullptr;
  if (!known) module = g_modules.Find(pc);
  if (module == nullptr) return Row::Invalid(EndReason::kNoModule, kNoModuleIndex);
  Row row = MakeRow(SafeMemory{}, module->eh_frame_hdr, pc, module->index, range, &fdes);
  if (!known) RememberPage(pc, key, *module, fdes);
  if (row.cfa == CfaRule::kInvalid && machine::IsSignalTrampoline(SafeMemory{}, pc + 1))
    row.cfa = CfaRule::kSignal;
  // Code at an entry point is the outermost frame. Not every _start (ptxas) marks itself as such,
  // and no loader's entry does.
  const bool begins = pc - entry_ < kEntryBytes || pc - loader_entry_ < kEntryBytes;
  if (row.cfa == CfaRule::kInvalid && begins) row.cfa = CfaRule::kEnd;
  if (row.cfa == CfaRule::kInvalid && !leaf && module->begins_stacks)
    row = Row::Invalid(EndReason::kComplete, module->index);
  return row;
}

// Returns the entry of a set to overwrite: an empty one if there is one. Otherwise each call
// returns the next way.
template <class Entry>
Entry& UnwindRows::Victim(Entry (&ways)[kWays]) {
  for (Entry& entry : ways) {
    if (entry.check.load(std::memory_order_relaxed) == 0) return entry;
  }
  return ways[cache_->next_way.fetch_add(1, std::memory_order_relaxed) % kWays];
}

Row UnwindRows::FindCaller(uint64_t pc) {
  const uint64_t key = pc ^ g_modules.generation() << 48;
  auto& ways = cache_->callers[CallerSetOf(pc)];
  for (const CallerRow& cached : ways) {
    const uint64_t bits = cached.row.load(std::memory_order_relaxed);
    if ((cached.check.load(std::memory_order_relaxed) ^ bits) == key) return Row::Unpack(bits);
  }
  CodeRange range;
  const Row row = Make(pc, false, &range);
  const uint64_t bits = row.Pack();
  CallerRow& entry = Victim(ways);
  // Release: a reader that gets this row must also see the base of its module.
  entry.row.store(bits, std::memory_order_release);
  entry.check.store(key ^ bits, std::memory_order_relaxed);
  return row;
}

Row UnwindRows::FindLeaf(uint64_t pc) {
  const uint64_t key = Hash(g_modules.generation());
  auto& ways = cache_->leaves[LeafSetOf(pc)];
  for (const LeafRow& cached : ways) {
    const uint64_t bits = cached.row.load(std::memory_order_relaxed);
    const uint64_t span = cached.range.load(std::memory_order_relaxed);
    const bool whole = (cached.check.load(std::memory_order_relaxed) ^ span ^ bits) == key;
    if (whole && pc - (span >> 16) < (span & 0xffff)) return Row::Unpack(bits);
  }
  CodeRange range;
  const Row row = Make(pc, true, &range);
  const uint64_t bits = row.Pack();
  if (pc - range.begin > 0x7fff) range.begin = pc - 0x7fff;
  const uint64_t length = range.end - range.begin;
  const uint64_t span = range.begin << 16 | (length > 0xffff ? 0xffff : length);
  LeafRow& entry = Victim(ways);
  entry.row.store(bits, std::memory_order_release);
  entry.range.store(span, std::memory_order_relaxed);
  entry.check.store(key ^ span ^ bits, std::memory_order_relaxed);
  return row;
}

bool UnwindRows::Rules(uint64_t pc, uint8_t reg, CfiState* state) {
  const LoadedModule* module = g_modules.Find(pc);
  if (module == nullptr || module->eh_frame_hdr == 0) return false;
  bool signal_frame = false;
  CodeRange range;
  SafeMemory memory;
  return EvaluateCfi(memory, FindFde(memory, module->eh_frame_hdr, pc), pc, reg, state,
                     &signal_frame, &range) == CfiAnswer::kFound;
}

bool UnwindRows::FindFunction(uint64_t pc, uint64_t base, CodeRange* range) const {
  const LoadedModule* module = g_modules.Find(pc);
  if (module == nullptr || module->base != base || module->eh_frame_hdr == 0) return false;
  Fde fde;
  SafeMemory memory;
  const uint64_t at = FindFde(memory, module->eh_frame_hdr, pc);
  if (at == 0 || !ParseFde(memory, at, &fde) || pc - fde.begin >= fde.size) return false;
  *range = {fde.begin, fde.begin + fde.size};
  return true;
}

}  // namespace gprofx::agent
