#include "samplers/attach/loaded_objects.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/file_io.h"
#include "core/base/path.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx::attach {
namespace {

constexpr uint16_t kMaxHeaders = 128;
constexpr uint32_t kMaxDynamic = 512, kMaxChain = 1u << 16;

uint32_t GnuHash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

// True for "libc.so.6" and "libc-2.31.so" if `object` is "libc".
bool IsNamed(std::string_view path, std::string_view object) {
  std::string_view name = BaseName(path);
  if (name.starts_with("memfd:")) name.remove_prefix(6);
  if (!name.starts_with(object)) return false;
  const std::string_view rest = name.substr(object.size());
  return rest.empty() || rest[0] == '.' || rest[0] == '-';
}

constexpr std::string_view kLibraries[] = {"libc", "ld-linux-x86-64", "ld", "libpthread", "libdl"};

// Do not read device registers that a driver mapped: reading changes some of them.
bool MayBeObject(std::string_view path) {
  return path.starts_with('/') && (!path.starts_with("/dev/") || path.starts_with("/dev/shm/"));
}

}  // namespace

LoadedObjects::LoadedObjects(pid_t pid, const RemoteMemory& memory) : memory_(memory) {
  maps_ = ParseMaps(MapsOf(pid));
  const Mapping* before = nullptr;
  for (const Mapping& map : maps_) {
    const bool again = before != nullptr && before->path == map.path;
    before = &map;
    if (!MayBeObject(map.path) || again) continue;
    char magic[SELFMAG] = {};
    if (!Get(map.begin, &magic) || std::memcmp(magic, ELFMAG, SELFMAG) != 0) continue;
    objects_.push_back({map.begin, map.path});
  }
  for (const Object& object : objects_) {
    Kind& kind = kinds_[object.path];
    kind.of_c = IsNamed(object.path, "libc") || IsNamed(object.path, "libpthread");
    const bool library = std::any_of(std::begin(kLibraries), std::end(kLibraries),
                                     [&](auto name) { return IsNamed(object.path, name); });
    kind.allocator |= !library && FindIn(object.base, "malloc", STT_FUNC) != 0;
    kind.locked |= library || kind.allocator;
  }
}

const LoadedObjects::Object* LoadedObjects::ObjectOf(std::string_view object) const {
  const auto found = std::find_if(objects_.begin(), objects_.end(),
                                  [=](const Object& o) { return IsNamed(o.path, object); });
  return found == objects_.end() ? nullptr : &*found;
}

std::string LoadedObjects::PathOf(std::string_view object) const {
  const Object* found = ObjectOf(object);
  return found == nullptr ? "" : found->path;
}

uint64_t LoadedObjects::Find(std::string_view object, const char* function) const {
  const Object* found = ObjectOf(object);
  return found == nullptr ? 0 : FindIn(found->base, function, STT_FUNC);
}

std::vector<uint64_t> LoadedObjects::FindData(const char* name) const {
  std::vector<uint64_t> found;
  for (const Object& object : objects_) {
    if (const uint64_t at = FindIn(object.base, name, STT_OBJECT); at != 0) found.push_back(at);
  }
  return found;
}

uint64_t LoadedObjects::FindIn(uint64_t base, const char* name, int type) const {
  Elf64_Ehdr header;
  if (!Get(base, &header) || header.e_ident[EI_CLASS] != ELFCLASS64) return 0;
  uint64_t dynamic = 0, first = 0;
  bool loaded = false;
  for (uint16_t i = 0; i < std::min(header.e_phnum, kMaxHeaders); ++i) {
    Elf64_Phdr segment;
    if (!Get(base + header.e_phoff + uint64_t{i} * sizeof segment, &segment)) return 0;
    if (segment.p_type == PT_LOAD && !loaded) {
      first = segment.p_vaddr & ~uint64_t{4095};
      loaded = true;
    }
    if (segment.p_type == PT_DYNAMIC) dynamic = segment.p_vaddr;
  }
  if (dynamic == 0 || !loaded) return 0;
  const uint64_t bias = base - first;
  uint64_t hash = 0, symbols = 0, strings = 0;
  for (uint32_t i = 0; i < kMaxDynamic; ++i) {
    Elf64_Dyn entry;
    if (!Get(bias + dynamic + i * sizeof entry, &entry) || entry.d_tag == DT_NULL) break;
    // The loader has relocated these pointers, except in read-only dynamic sections.
    const uint64_t at = entry.d_un.d_ptr < bias ? entry.d_un.d_ptr + bias : entry.d_un.d_ptr;
    if (entry.d_tag == DT_GNU_HASH) hash = at;
    if (entry.d_tag == DT_SYMTAB) symbols = at;
    if (entry.d_tag == DT_STRTAB) strings = at;
  }
  struct {
    uint32_t buckets, first_symbol, bloom_words, bloom_shift;
  } table{};
  if (hash == 0 || symbols == 0 || strings == 0 || !Get(hash, &table)) return 0;
  if (table.buckets == 0) return 0;
  const uint32_t wanted = GnuHash(name);
  const uint64_t buckets = hash + sizeof table + uint64_t{table.bloom_words} * 8;
  const uint64_t chains = buckets + uint64_t{table.buckets} * 4;
  uint32_t index = 0;
  if (!Get(buckets + uint64_t{wanted % table.buckets} * 4, &index)) return 0;
  if (index < table.first_symbol) return 0;
  const size_t length = std::strlen(name) + 1;
  for (uint32_t steps = 0; steps < kMaxChain; ++steps, ++index) {
    uint32_t of_symbol = 0;
    if (!Get(chains + uint64_t{index - table.first_symbol} * 4, &of_symbol)) return 0;
    if ((of_symbol | 1) == (wanted | 1)) {
      Elf64_Sym symbol;
      std::array<char, 64> read{};
      if (!Get(symbols + uint64_t{index} * sizeof symbol, &symbol)) return 0;
      memory_.ReadSome(strings + symbol.st_name, read.data(), std::min(length, read.size()));
      const bool same = length <= read.size() && std::memcmp(read.data(), name, length) == 0;
      if (same && symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == type)
        return bias + symbol.st_value;
    }
    if ((of_symbol & 1) != 0) break;
  }
  return 0;
}

const std::string& LoadedObjects::CLibrary() const {
  static const std::string kNone;
  const Object* libc = ObjectOf("libc");
  return libc == nullptr ? kNone : libc->path;
}

Room LoadedObjects::RoomOf(uint64_t pc) const {
  const Mapping* map = MappingOf(maps_, pc);
  if (map == nullptr || !map->executable) return Room::kNowhere;
  if (map->path.starts_with("[")) return Room::kLocked;  // vDSO: its caller is unknown
  const Kind* kind = KindOf(*map);
  if (kind == nullptr || !kind->locked) return Room::kProgram;
  return kind->of_c ? Room::kCLibrary : Room::kLocked;
}

const LoadedObjects::Kind* LoadedObjects::KindOf(const Mapping& map) const {
  const auto found = kinds_.find(map.path);
  return found == kinds_.end() ? nullptr : &found->second;
}

bool LoadedObjects::IsInAllocator(uint64_t pc) const {
  const Mapping* map = MappingOf(maps_, pc);
  if (map == nullptr || !map->executable) return false;
  const Kind* kind = KindOf(*map);
  return kind != nullptr && kind->allocator;
}

uint64_t LoadedObjects::EndOf(uint64_t address) const {
  const Mapping* map = MappingOf(maps_, address);
  return map == nullptr ? 0 : map->end;
}

uint64_t LoadedObjects::SyscallInstruction() const {
  const uint64_t begin = Find("libc", "syscall");
  unsigned char code[64];
  if (begin == 0 || !memory_.Get(begin, &code)) return 0;
  for (size_t i = 0; i + 1 < sizeof code; ++i) {
    if (code[i] == 0x0f && code[i + 1] == 0x05) return begin + i;
  }
  return 0;
}

}  // namespace gprofx::attach
