// Runs in signal handlers, except Start and RefreshSnapshot: no allocation, no locks, bounded
// loops.
#include "samplers/agent/stacks/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "samplers/agent/exec/elf_image.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

constinit Modules g_modules;

namespace {

constexpr uint32_t kMaxProbes = 64;

// glibc's function _dl_find_object, which exists from 2.35 on. Null if this libc has none. Set
// before the first sample.
using FindObjectFunction = int (*)(void*, dl_find_object*);
FindObjectFunction g_find_object = nullptr;

// Looks up _dl_find_object at run time. A weak reference would make this library require glibc
// 2.35.
FindObjectFunction AskForFindObject() {
  auto found = reinterpret_cast<FindObjectFunction>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (found == nullptr) dlerror();  // discards the error, which the program must not see
  return found;
}

constexpr uint64_t kMaxPathBytes = 4096;

// Returns the slot of the module table (2^13 slots) where the search for a module begins.
uint32_t SlotOf(uint64_t begin) { return static_cast<uint32_t>(begin >> 12) * 0x9e3779b1u >> 19; }

void* MapPrivate(uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

uint64_t HeaderAddress(uint64_t begin, uint64_t base, uint32_t wanted, uint64_t* last_end) {
  uint64_t headers = 0, found = 0;
  uint16_t count = 0;
  if (!SafeLoad(begin + 32, &headers) || !SafeLoad(begin + 56, &count)) return 0;
  for (uint16_t i = 0; i < count && i < 64; ++i) {
    uint64_t at = begin + headers + i * sizeof(Elf64_Phdr);
    uint32_t type = 0;
    uint64_t address = 0, bytes = 0;
    if (!SafeLoad(at, &type) || !SafeLoad(at + 16, &address) || !SafeLoad(at + 40, &bytes))
      return 0;
    if (type == wanted) found = base + address;
    if (type == PT_LOAD && base + address + bytes > *last_end) *last_end = base + address + bytes;
  }
  return found;
}

uint64_t Length(const char* path) {
  uint64_t n = 0;
  char c = 0;
  while (n < kMaxPathBytes && SafeLoad(reinterpret_cast<uint64_t>(path) + n, &c) && c != 0) ++n;
  return n;
}

bool SamePath(const char* path, uint64_t offset) {
  const uint8_t* recorded = g_session.Allocated(offset, 1);
  if (path == nullptr || recorded == nullptr) return false;
  const uint64_t room = std::min(kMaxPathBytes, wire::kArenaBytes - offset);
  for (uint64_t i = 0; i < room; ++i) {
    char c = 0;
    if (!SafeLoad(reinterpret_cast<uint64_t>(path) + i, &c) ||
        c != static_cast<char>(recorded[i])) {
      return false;
    }
    if (c == 0) return true;
  }
  return false;
}

bool StartsWith(const char* text, const char* prefix) {
  return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

// The part of a path after the last slash. It is NUL-terminated and may be cut, but identifies a
// library.
struct BaseName {
  char text[48] = {};

  BaseName(const char* path, uint64_t length) {
    const auto address = reinterpret_cast<uint64_t>(path);
    uint64_t used = 0;
    for (uint64_t i = 0; i < length; ++i) {
      char c = 0;
      if (!SafeLoad(address + i, &c)) break;
      if (c == '/') {
        used = 0;
      } else if (used + 1 < sizeof text) {
        text[used++] = c;
      }
    }
    text[used] = 0;
  }
};

// Returns the module flags of the library whose file has this name: our libraries, CUDA's
// libraries, which lie between a CUDA call and the code that intercepts it, and libraries that
// switch stacks. Returns 0 for any other library.
uint32_t FlagsByName(const char* name) {
  if (StartsWith(name, "libgprofx-cuda.so") || StartsWith(name, "libgprofx-nvtx.so") ||
      StartsWith(name, "libgprofx-memory.so"))
    return wire::kWireModuleProfiler;
  const bool cuda = StartsWith(name, "libcuda.so") || StartsWith(name, "libcupti.so") ||
                    StartsWith(name, "libcudadebugger.so");
  if (cuda) return wire::kWireModuleCuda;
  const bool switches = StartsWith(name, "_greenlet.") || StartsWith(name, "greenlet.");
  return switches ? uint32_t{wire::kWireModuleStackSwitch} : 0;
}

bool IsMusl(const char* path) {
  const char* slash = path == nullptr ? nullptr : std::strrchr(path, '/');
  return slash != nullptr && StartsWith(slash, "/ld-musl-");
}

}  // namespace

void Modules::Start() {
  if (table_ != nullptr) munmap(table_, kSlots * sizeof(LoadedModule));
  table_ = static_cast<LoadedModule*>(MapPrivate(kSlots * sizeof(LoadedModule)));
  generation_.fetch_add(1);
  if (g_find_object == nullptr && use_find_object_) g_find_object = AskForFindObject();
  if (g_find_object == nullptr) use_find_object_ = false;
  if (vdso_.begin == 0) {
    uint64_t begin = getauxval(AT_SYSINFO_EHDR);
    // The vDSO is linked at address 0, so its load bias is the address where it is mapped.
    if (begin != 0) {
      vdso_ = {begin, begin, begin, 0, begin, 0, "[vdso]", wire::kWireModuleVdso};
      vdso_.eh_frame_hdr = HeaderAddress(begin, begin, PT_GNU_EH_FRAME, &vdso_.end);
      vdso_.dynamic = HeaderAddress(begin, begin, PT_DYNAMIC, &vdso_.end);
    }
  }
  if (!use_find_object_) RefreshSnapshot();
}

bool Modules::FindObject(uint64_t pc, Object* object) const {
  if (pc - vdso_.begin < vdso_.end - vdso_.begin) {
    *object = vdso_;
    return true;
  }
  if (use_find_object_) {
    dl_find_object found;
    if (g_find_object(reinterpret_cast<void*>(pc), &found) != 0) return false;
    auto* map = found.dlfo_link_map;
    object->begin = reinterpret_cast<uint64_t>(found.dlfo_map_start);
    object->end = reinterpret_cast<uint64_t>(found.dlfo_map_end);
    object->eh_frame_hdr = reinterpret_cast<uint64_t>(found.dlfo_eh_frame);
    object->link_map = reinterpret_cast<uint64_t>(map);
    object->flags = 0;
    uint64_t address = reinterpret_cast<uint64_t>(map);
    uint64_t name = 0;
    bool read = SafeLoad(address + offsetof(link_map, l_addr), &object->base) &&
                SafeLoad(address + offsetof(link_map, l_name), &name) &&
                SafeLoad(address + offsetof(link_map, l_ld), &object->dynamic);
    object->path = reinterpret_cast<const char*>(name);
    return read;
  }
  const Snapshot* snapshot = snapshot_.load(std::memory_order_acquire);
  for (uint32_t i = 0; snapshot != nullptr && i < snapshot->count.load(std::memory_order_acquire);
       ++i) {
    const Object& o = snapshot->objects[i];
    if (pc - o.begin >= o.end - o.begin) continue;
    *object = o;
    return true;
  }
  return false;
}

// Returns the table's entry for the module that the loader has at `pc`; null if it is not in the
// table yet. Does not read the loader's link_map.
const LoadedModule* Modules::Registered(uint64_t pc) const {
  dl_find_object found;
  if (!use_find_object_ || g_find_object(reinterpret_cast<void*>(pc), &found) != 0) return nullptr;
  const auto begin = reinterpret_cast<uint64_t>(found.dlfo_map_start);
  const uint32_t slot = SlotOf(begin);
  for (uint32_t i = 0; i < kMaxProbes; ++i) {
    const LoadedModule& m = table_[(slot + i) & (kSlots - 1)];
    const uint32_t state = m.state.load(std::memory_order_acquire);
    if (state == 0) return nullptr;
    if (state == 2 && m.begin == begin && m.end == reinterpret_cast<uint64_t>(found.dlfo_map_end) &&
        m.link_map == reinterpret_cast<uint64_t>(found.dlfo_link_map) &&
        m.eh_frame_hdr == reinterpret_cast<uint64_t>(found.dlfo_eh_frame)) {
      return &m;
    }
  }
  return nullptr;
}

const LoadedModule* Modules::Find(uint64_t pc) {
  Object object;
  if (table_ == nullptr) return nullptr;
  if (const LoadedModule* known = Registered(pc); known != nullptr) return known;
  if (!FindObject(pc, &object) && (use_find_object_ || !FindLater(pc, &object))) return nullptr;
  const uint32_t slot = SlotOf(object.begin);
  for (uint32_t i = 0; i < kMaxProbes; ++i) {
    LoadedModule& m = table_[(slot + i) & (kSlots - 1)];
    uint32_t state = m.state.load(std::memory_order_acquire);
    if (state == 0) break;
    if (state == 2 && m.begin == object.begin && m.end == object.end &&
        m.link_map == object.link_map && m.eh_frame_hdr == object.eh_frame_hdr) {
      return &m;
    }
  }
  return Register(object);
}

// True if `object` is the module that `m` describes, which was unloaded and is now loaded again:
// the same file at the same address.
bool Modules::IsRecorded(const Object& object, const LoadedModule& m) const {
  if (m.index == kNoModuleIndex || m.begin != object.begin || m.end != object.end ||
      m.base != object.base)
    return false;
  const wire::ModuleRecord& record = g_session.modules()[m.index];
  uint8_t build_id[sizeof(record.build_id)] = {};
  uint32_t bytes = ReadBuildId(object.begin, object.base, build_id, sizeof(build_id));
  if (bytes != record.build_id_bytes || std::memcmp(build_id, record.build_id, bytes) != 0)
    return false;
  return SamePath(object.path, record.path);
}

const LoadedModule* Modules::Register(const Object& object) {
  const uint32_t slot = SlotOf(object.begin);
  for (uint32_t i = 0; i < kMaxProbes; ++i) {
    LoadedModule& m = table_[(slot + i) & (kSlots - 1)];
    uint32_t unloaded = 3;
    if (m.state.load(std::memory_order_acquire) == unloaded && IsRecorded(object, m) &&
        m.state.compare_exchange_strong(unloaded, 1, std::memory_order_acq_rel)) {
      m.eh_frame_hdr = object.eh_frame_hdr;
      m.link_map = object.link_map;
      g_python.Detect(ElfImage(object.dynamic, object.base));
      m.state.store(2, std::memory_order_release);
      return &m;
    }
    uint32_t empty = 0;
    if (!m.state.compare_exchange_strong(empty, 1, std::memory_order_acq_rel)) continue;
    m.begin = object.begin;
    m.end = object.end;
    m.base = object.base;
    m.eh_frame_hdr = object.eh_frame_hdr;
    m.link_map = object.link_map;
    m.begins_stacks = !use_find_object_ && IsMusl(object.path);
    m.index = RegisterOnWire(object);
    m.state.store(2, std::memory_order_release);
    return &m;
  }
  g_session.Count(wire::kModuleTableFull);
  return nullptr;
}

uint16_t Modules::RegisterOnWire(const Object& object) {
  wire::ProcessHeader& header = g_session.header();
  uint32_t index = header.modules.fetch_add(1, std::memory_order_relaxed);
  if (index >= wire::kMaxModules) {
    header.modules.store(wire::kMaxModules, std::memory_order_relaxed);
    g_session.Count(wire::kModuleTableFull);
    return kNoModuleIndex;
  }
  wire::ModuleRecord& record = g_session.modules()[index];
  record.base = object.base;
  record.begin = object.begin;
  record.end = object.end;
  record.flags = object.flags;
  record.build_id_bytes =
      ReadBuildId(object.begin, object.base, record.build_id, sizeof(record.build_id));
  const char* path = object.path;
  uint64_t length = path == nullptr ? 0 : Length(path);
  if (length == 0) {  // the main program has no name
    path = header.executable;
    length = strnlen(path, sizeof header.executable);
  }
  uint64_t place = 0;
  if (void* to = g_session.Allocate(length + 1, &place)) {
    SafeCopy(to, reinterpret_cast<uint64_t>(path), length);
    static_cast<char*>(to)[length] = 0;
    record.path = place;
  }
  bases_[index] = object.base;
  record.flags |= FlagsByName(BaseName(path, length).text);
  auto own = reinterpret_cast<uint64_t>(&g_modules);
  if (own - object.begin < object.end - object.begin) record.flags |= wire::kWireModuleProfiler;
  ElfImage image(object.dynamic, object.base);
  if (g_python.Detect(image)) record.flags |= wire::kWireModulePython;
  record.ready.store(1, std::memory_order_release);
  return static_cast<uint16_t>(index);
}

bool Modules::InModule(uint64_t address) const {
  Object object;
  return FindObject(address, &object);
}

void Modules::AfterUnload() {
  if (!use_find_object_) RefreshSnapshot();
  for (uint32_t i = 0; table_ != nullptr && i < kSlots; ++i) {
    LoadedModule& m = table_[i];
    if (m.state.load(std::memory_order_acquire) != 2) continue;
    Object now;
    bool same = FindObject(m.begin, &now) && now.begin == m.begin && now.link_map == m.link_map;
    if (same) continue;
    m.state.store(3, std::memory_order_release);
    g_python.ForgetModule(m.base);
  }
  generation_.fetch_add(1, std::memory_order_acq_rel);
}

int Modules::AddToSnapshot(dl_phdr_info* info, size_t, void* data) {
  auto* snapshot = static_cast<Snapshot*>(data);
  const uint32_t at = snapshot->count.load(std::memory_order_relaxed);
  if (at >= std::size(snapshot->objects)) return 1;
  Object object{~uint64_t{0}, 0, info->dlpi_addr, 0, 0, 0, info->dlpi_name, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) object.eh_frame_hdr = begin;
    if (header.p_type == PT_DYNAMIC) object.dynamic = begin;
    if (header.p_type != PT_LOAD) continue;
    if (begin < object.begin) object.begin = begin;
    if (begin + header.p_memsz > object.end) object.end = begin + header.p_memsz;
  }
  object.link_map = object.dynamic;  // identifies the module instead of a link_map
  if (object.begin >= object.end) return 0;
  snapshot->objects[at] = object;
  snapshot->count.store(at + 1, std::memory_order_relaxed);
  return 0;
}

void Modules::RefreshSnapshot() {
  struct Counts {
    unsigned long long adds, subs;
  } counts{};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<Counts*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  if (snapshot_.load() != nullptr && counts.adds == snapshot_adds_ && counts.subs == snapshot_subs_)
    return;
  snapshot_adds_ = counts.adds;
  snapshot_subs_ = counts.subs;
  // The old snapshot is not freed, because a handler may be reading it.
  auto* fresh = static_cast<Snapshot*>(MapPrivate(sizeof(Snapshot)));
  if (fresh == nullptr) return;
  dl_iterate_phdr(AddToSnapshot, fresh);
  if (fresh->count.load() != 0) debug_ = DebugOf(fresh->objects[0].dynamic);  // the main program's
  snapshot_.store(fresh, std::memory_order_release);
}

}  // namespace gprofx::agent
