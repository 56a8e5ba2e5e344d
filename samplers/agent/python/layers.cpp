// Runs in signal handlers, except Start: no allocation, no locks, bounded loops.
#include "samplers/agent/python/layers.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "samplers/agent/calls/distance.h"
#include "samplers/agent/python/attributes.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/wire/hash.h"

namespace gprofx::agent {

constinit LayerIds g_layers;

namespace {

constexpr uint64_t kTypeName = 24, kCellContent = 16;
// Maximum number of keys in a name such as "layers.3": those of the containers and of the module
// itself.
constexpr uint32_t kMaxSteps = 4;
// Limit for items and attributes that are read to find one name.
constexpr uint32_t kMaxItems = 20'000;
// If the innermost kInner modules of a stack are the expected ones, the modules around them are
// checked only one time in kTrusted + 1, because two modules are mostly called within the same
// others. One module alone would not be enough, because layers share an activation module.
constexpr uint32_t kInner = 2, kTrusted = 6;
// Limits on the number of records, for programs that create modules anew for each call:
// kMaxNameless for modules without a name in one parent, kMaxRecords in all.
constexpr uint32_t kMaxNameless = 64, kMaxRecords = 1u << 16;

bool GoodPointer(uint64_t p) { return p >= 4096 && p % 8 == 0 && p >> 47 == 0; }

// Returns the first local variable of a Python frame and sets *type to its type. Returns 0 if it
// cannot be read. In CPython 3.11+ a variable that a closure captures is stored in a cell object;
// the function then returns the content of the cell.
[[gnu::hot]] uint64_t FirstLocal(uint64_t frame, const PyLayout& layout, uint64_t* type) {
  uint64_t object = *type = 0;
  if (!SafeLoad(frame + layout.f_locals, &object)) return 0;
  object = layout.ObjectOf(object);
  for (int cells = 0; cells < 2; ++cells) {
    if (!GoodPointer(object) || !SafeLoad(object + layout.ob_type, type)) return 0;
    if (*type != g_python.cell_type()) return GoodPointer(*type) ? object : 0;
    if (!SafeLoad(object + kCellContent, &object)) return 0;
  }
  return 0;
}

constexpr char kModules[] = "_modules";

// Searches for a PyTorch module among the modules that another one contains, nearest first.
class NameSearch {
 public:
  NameSearch(uint64_t wanted, const PyLayout& layout) : wanted_(wanted), layout_(layout) {}

  // Returns the number of keys on the shortest path from module `from` to the wanted one. Returns 0
  // if there is no path of up to kMaxSteps keys.
  uint32_t Find(uint64_t from) {
    for (uint32_t steps = 1; steps <= kMaxSteps && left_ != 0; ++steps) {
      if (Descend(from, steps)) return steps;
    }
    return 0;
  }
  uint64_t key(uint32_t step) const { return keys_[step]; }

 private:
  DictItems ModulesOf(uint64_t module) {
    return DictItems::OfDict(AttributeOf(module, layout_, kModules, &left_), layout_);
  }

  // True if a path of exactly `steps` keys leads from module `from` to the wanted one. Iterative,
  // because a handler's stack may be small.
  bool Descend(uint64_t from, uint32_t steps) {
    DictItems items[kMaxSteps];
    items[0] = ModulesOf(from);
    for (uint32_t step = 0; left_ != 0;) {
      uint64_t value = 0;
      if (!items[step].Next(&keys_[step], &value)) {
        if (step-- == 0) return false;
        continue;
      }
      --left_;
      if (step + 1 < steps) {
        items[++step] = ModulesOf(value);
      } else if (value == wanted_) {
        return true;
      }
    }
    return false;
  }

  const uint64_t wanted_;
  const PyLayout& layout_;
  uint32_t left_ = kMaxItems;
  uint64_t keys_[kMaxSteps];
};

// Writes the name that `module` has in `parent`, such as "layers.3", to `out`. Returns its length,
// or 0 if the module has no name there.
uint32_t NameIn(uint64_t parent, uint64_t module, const PyLayout& layout, char* out) {
  NameSearch search(module, layout);
  const uint32_t steps = search.Find(parent);
  uint32_t used = 0;
  for (uint32_t i = 0; i < steps; ++i) {
    if (!IsStr(search.key(i), layout) || used + 1 >= wire::kMaxLayerNameBytes) return 0;
    if (i != 0) out[used++] = '.';
    const uint32_t bytes =
        CopyText(search.key(i), layout, out + used, wire::kMaxLayerNameBytes - used);
    if (bytes == 0) return 0;
    used += bytes;
  }
  return used;
}

// Writes the name of class `type` to `out`. Returns its length, or 0 if `type` is not a class.
uint32_t TypeName(uint64_t type, char* out) {
  uint64_t name = 0;
  if (!SafeLoad(type + kTypeName, &name) || name < 4096) return 0;
  uint32_t used = 0;
  for (; used < wire::kMaxTypeBytes; ++used) {
    if (!SafeLoad(name + used, &out[used]) || out[used] == 0) break;
  }
  return used;
}

// Returns the record with id `id`, a result of LayerIds::Make.
wire::LayerRecord* RecordOf(uint32_t id) {
  return reinterpret_cast<wire::LayerRecord*>(
      g_session.Allocated(uint64_t{id} * wire::kArenaUnit, sizeof(wire::LayerRecord)));
}

// Returns the index of the cache entry with `tag`, among those that `hash` maps to. If there is
// none, returns the index at which to store it.
uint32_t SlotOf(const StackPath& path, uint64_t hash, uint32_t tag) {
  constexpr uint32_t kWays = StackPath::kLayerWays;
  const auto first = static_cast<uint32_t>(hash % (StackPath::kLayered / kWays)) * kWays;
  for (uint32_t i = 0; i < kWays; ++i) {
    const StackPath::Layered& here = path.layers[first + i];
    if (here.node == 0 || here.tag == tag) return first + i;
  }
  return first + tag % kWays;
}

}  // namespace

void LayerIds::Start() {
  if (slots_ == nullptr) {
    void* p = mmap(nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    slots_ = p == MAP_FAILED ? nullptr : static_cast<Slot*>(p);
  }
  ++epoch_;  // earlier keys no longer match
  outermost_.store(0);
  records_.store(0);
}

uint64_t LayerIds::KeyOf(uint32_t parent, uint64_t module, uint64_t type) const {
  return wire::AddToHash(epoch_, parent, module, type) | 1;
}

uint32_t LayerIds::Find(uint64_t key) const {
  for (uint32_t i = 0; i < kProbes; ++i) {
    const Slot& slot = slots_[((key >> 20) + i) & (kSlots - 1)];
    const uint64_t id = slot.id.load(std::memory_order_relaxed);
    if ((slot.key.load(std::memory_order_relaxed) ^ id) == key) return static_cast<uint32_t>(id);
  }
  return 0;
}

// Stores `id` under `key`. If all slots for the key are in use, overwrites one. The module then
// gets a second record later, which is harmless.
void LayerIds::Put(uint64_t key, uint32_t id) {
  Slot* slot = &slots_[((key >> 20) + key % kProbes) & (kSlots - 1)];
  for (uint32_t i = 0; i < kProbes; ++i) {
    Slot& free = slots_[((key >> 20) + i) & (kSlots - 1)];
    if (free.key.load(std::memory_order_relaxed) != 0) continue;
    slot = &free;
    break;
  }
  slot->id.store(id, std::memory_order_relaxed);
  slot->key.store(key ^ id, std::memory_order_relaxed);
}

uint32_t LayerIds::Id(const Parent& parent, uint64_t module, uint64_t type,
                      const PyLayout& layout) {
  if (slots_ == nullptr) return 0;
  const uint64_t key = KeyOf(parent.id, module, type);
  if (const uint32_t known = Find(key); known != 0) return known;
  const uint32_t id = Make(parent, module, type, layout);
  if (id == parent.id) return id;
  Put(key, id);
  // Store the id also for calls of this module outside any other module, which then use the same
  // record.
  const uint64_t alone = KeyOf(0, module, type);
  if (parent.id != 0 && RecordOf(id)->name_bytes != 0 && Find(alone) == 0) Put(alone, id);
  return id;
}

uint32_t LayerIds::Make(const Parent& parent, uint64_t module, uint64_t type,
                        const PyLayout& layout) {
  std::atomic<uint32_t>& nameless = parent.id == 0 ? outermost_ : RecordOf(parent.id)->nameless;
  if (nameless.load(std::memory_order_relaxed) >= kMaxNameless) return parent.id;
  if (records_.load(std::memory_order_relaxed) >= kMaxRecords) return parent.id;
  uint32_t left = kMaxAttributes;
  if (AttributeOf(module, layout, kModules, &left) == 0) return parent.id;  // not a module
  char class_name[wire::kMaxTypeBytes], name[wire::kMaxLayerNameBytes];
  const uint32_t type_bytes = TypeName(type, class_name);
  if (type_bytes == 0) return parent.id;
  const uint32_t name_bytes = parent.id == 0 ? 0 : NameIn(parent.module, module, layout, name);
  uint64_t offset = 0;
  void* room = g_session.Allocate(sizeof(wire::LayerRecord) + type_bytes + name_bytes, &offset);
  if (room == nullptr) {
    g_session.Count(wire::kCodeArenaFull);
    return parent.id;
  }
  if (name_bytes == 0) nameless.fetch_add(1, std::memory_order_relaxed);
  records_.fetch_add(1, std::memory_order_relaxed);
  auto* record = static_cast<wire::LayerRecord*>(room);
  record->parent = parent.id;
  record->nameless.store(0, std::memory_order_relaxed);
  record->type_bytes = static_cast<uint16_t>(type_bytes);
  record->name_bytes = static_cast<uint16_t>(name_bytes);
  char* text = static_cast<char*>(room) + sizeof(wire::LayerRecord);
  std::memcpy(text, class_name, type_bytes);
  std::memcpy(text + type_bytes, name, name_bytes);
  record->ready.store(1, std::memory_order_release);
  return static_cast<uint32_t>(offset / wire::kArenaUnit);
}

[[gnu::hot]] uint32_t LayerNode(StackPath& path, uint32_t node, const LayerCalls& layers) {
  const PyLayout& layout = g_python.layout();
  if (node == 0 || layers.count == 0 || layout.free_threaded || layout.f_locals == 0) return node;
  uint64_t modules[kMaxLayers], types[kMaxLayers];
  const uint32_t outer = layers.count - std::min(layers.count, kInner);
  uint64_t of_inner = wire::AddToHash(path.epoch, node);
  for (uint32_t i = outer; i < layers.count; ++i) {
    modules[i] = FirstLocal(layers.frames[i], layout, &types[i]);
    of_inner = wire::AddToHash(of_inner, modules[i], types[i]);
  }
  const auto inner = static_cast<uint32_t>(of_inner >> 16);
  const uint32_t expected = path.layers[path.last_layer].next;
  const bool is_expected = path.layers[expected].node != 0 && path.layers[expected].inner == inner;
  if (is_expected && path.trusted_layers != 0) {
    --path.trusted_layers;
    path.last_layer = expected;
    __builtin_prefetch(&path.layers[path.layers[expected].next]);
    return path.layers[expected].node;
  }
  wire::WordsHash words;
  words.Add(node);
  for (uint32_t i = 0; i < layers.count; ++i) {
    if (i < outer) modules[i] = FirstLocal(layers.frames[i], layout, &types[i]);
    words.Add(modules[i]);
    words.Add(types[i]);
  }
  const uint64_t hash = wire::AddToHash(words.value(), path.epoch);
  const auto tag = static_cast<uint32_t>(hash >> 32);
  const uint32_t slot = SlotOf(path, hash, tag);
  StackPath::Layered& known = path.layers[slot];
  StackPath::Layered& before = path.layers[path.last_layer];
  if (before.next != slot) before.next = slot;
  path.last_layer = slot;
  __builtin_prefetch(&path.layers[known.next]);
  path.trusted_layers = RandomDistance(&path.random, kTrusted);
  if (is_expected && (slot != expected || known.tag != tag))
    g_session.Count(wire::kCallMemoStale, kTrusted);
  if (known.node != 0 && known.tag == tag) return known.node;
  LayerIds::Parent around;
  uint64_t before_it = 0;
  for (uint32_t i = 0; i < layers.count; ++i) {
    if (modules[i] == 0 || modules[i] == before_it) continue;
    before_it = modules[i];
    const uint32_t id = g_layers.Id(around, modules[i], types[i], layout);
    if (id != around.id) around = {id, modules[i]};
  }
  if (around.id == 0) return node;
  const uint32_t last = ChildNode(g_session, node, wire::MakeLayer(around.id));
  if (last == 0) return node;
  known.tag = tag;
  known.inner = inner;
  known.node = last;
  return last;
}

}  // namespace gprofx::agent
