#include "samplers/attach/loaded_objects.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/file_io.h"
#include "core/base/path.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/wire/elf_symbols.h"

namespace gprofx::attach {
namespace {

constexpr uint16_t kMaxHeaders = 128;

bool IsNamed(std::string_view path, std::string_view object) {
  std::string_view name = BaseName(path);
  if (name.starts_with("memfd:")) name.remove_prefix(6);
  if (!name.starts_with(object)) return false;
  const std::string_view rest = name.substr(object.size());
  return rest.empty() || rest[0] == '.' || rest[0] == '-';
}

constexpr std::string_view kLibraries[] = {"libc", "ld-linux-x86-64", "ld", "libpthread", "libdl"};

// True if a mapping of this file may be an ELF object, so that its memory can be read. False for
// device files: a driver may have mapped device registers, and reading some registers changes them.
// Files in /dev/shm are ordinary memory.
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
  const wire::ElfSymbols symbols(Reader{*this}, bias + dynamic, bias);
  Elf64_Sym symbol;
  const auto is_wanted = [=](const Elf64_Sym& found) {
    return ELF64_ST_TYPE(found.st_info) == type;
  };
  return symbols.Find(name, is_wanted, &symbol) ? symbol.st_value : 0;
}

bool LoadedObjects::Reader::IsText(uint64_t at, const char* text) const {
  std::array<char, 64> read{};
  const size_t bytes = std::strlen(text) + 1;
  return bytes <= read.size() && objects.memory_.ReadSome(at, read.data(), bytes) == bytes &&
         std::memcmp(read.data(), text, bytes) == 0;
}

const std::string& LoadedObjects::CLibrary() const {
  static const std::string kNone;
  const Object* libc = ObjectOf("libc");
  return libc == nullptr ? kNone : libc->path;
}

Room LoadedObjects::RoomOf(uint64_t pc) const {
  const Mapping* map = MappingOf(maps_, pc);
  if (map == nullptr || !map->executable) return Room::kNowhere;
  // The vDSO, about whose caller nothing is known.
  if (map->path.starts_with("[")) return Room::kLocked;
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
