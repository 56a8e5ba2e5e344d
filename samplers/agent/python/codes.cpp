// Runs in signal handlers, except Start: no allocation, no locks, bounded loops.
#include "samplers/agent/python/codes.h"

#include <sys/mman.h>

#include <cstring>

#include "samplers/agent/process/session.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/wire/hash.h"

namespace gprofx::agent {

constinit CodeIds g_codes;

namespace {

constexpr uint32_t kMaxNameChars = 1024;
constexpr uint32_t kMaxFileChars = 2048;
constexpr uint32_t kMaxTableBytes = 1u << 20;
constexpr uint32_t kProbes = 8;

struct Text {  // a compact str object
  uint64_t data = 0;
  uint32_t chars = 0;
  uint8_t width = 1;
};

Text ReadText(uint64_t object, const PyLayout& l, uint32_t max_chars) {
  uint64_t length = 0;
  uint32_t state = 0;
  if (object == 0 || !SafeLoad(object + l.str_length, &length) ||
      !SafeLoad(object + l.str_state, &state))
    return {};
  if (l.str_wide_state)
    state >>= 6;  // moves kind, compact and ascii to where all other builds have them
  uint32_t kind = state >> 2 & 7;
  bool compact = (state >> 5 & 1) != 0, ascii = (state >> 6 & 1) != 0;
  if (!compact || (kind != 1 && kind != 2 && kind != 4)) return {};
  Text text;
  text.data = object + (ascii ? l.str_ascii_data : l.str_wide_data);
  text.chars = static_cast<uint32_t>(length < max_chars ? length : max_chars);
  text.width = static_cast<uint8_t>(kind);
  return text;
}

// True if the str `object` ends with `wanted`. If `whole`, true only if it equals `wanted`.
bool ObjectEndsWith(uint64_t object, const PyLayout& l, const char* wanted, bool whole) {
  const Text text = ReadText(object, l, kMaxFileChars);
  const size_t length = std::strlen(wanted);
  if (text.width != 1 || text.chars < length || (whole && text.chars != length)) return false;
  const uint64_t begin = text.data + text.chars - length;
  for (size_t i = 0; i < length; ++i) {
    char c = 0;
    if (!SafeLoad(begin + i, &c) || c != wanted[i]) return false;
  }
  return true;
}

// Like ObjectEndsWith, for the str whose address is stored at `field`.
bool EndsWith(uint64_t field, const PyLayout& l, const char* wanted, bool whole) {
  uint64_t object = 0;
  return SafeLoad(field, &object) && ObjectEndsWith(object, l, wanted, whole);
}

constexpr uint64_t kWord = sizeof(uint64_t);
constexpr uint64_t kNotHashed = ~uint64_t{0};
constexpr uint64_t kFirstBytes = 64, kLastBytes = 16;  // a text is hashed only at its start and end

// Returns the hash of a str, or 0 if it cannot be read. If the str caches its own hash, as interned
// ones do, the result is that hash. Otherwise it is a hash of the str's length, start and end.
uint64_t HashOfText(uint64_t object, const PyLayout& l) {
  uint64_t hash = kNotHashed, chars = 0, word = 0;
  if (SafeLoad(object + l.str_length + kWord, &hash) && hash != kNotHashed) return hash;
  if (!SafeLoad(object + l.str_length, &chars) || chars > kMaxFileChars) return 0;
  const uint64_t begin = object + l.str_ascii_data;
  const uint64_t last = chars < kLastBytes ? 0 : chars - kLastBytes;
  hash = chars;
  for (uint64_t at = 0; at + kWord <= chars && at < kFirstBytes; at += kWord) {
    if (SafeLoad(begin + at, &word)) hash = wire::AddToHash(hash, word);
  }
  for (uint64_t at = last; at < chars && at < last + kLastBytes; at += kWord) {
    if (SafeLoad(begin + at, &word)) hash = wire::AddToHash(hash, word);
  }
  return hash;
}

// Returns a hash that distinguishes a code object from an earlier one at the same address. The two
// may even have their names, files and tables at the same addresses, so the contents are hashed as
// well. (If a str caches its hash later, the code object is recorded twice, which is harmless.)
uint64_t Fingerprint(uint64_t code, const PyLayout& l, uint64_t epoch) {
  uint32_t line = 0;
  uint64_t file = 0, name = 0, table = 0;
  SafeLoad(code + l.co_first_line, &line);
  SafeLoad(code + l.co_filename, &file);
  SafeLoad(code + l.co_name, &name);
  SafeLoad(code + l.co_table, &table);
  const uint64_t places = wire::AddToHash(code + epoch, file, name, table ^ uint64_t{line} << 20);
  return wire::AddToHash(places, HashOfText(name, l), HashOfText(file, l));
}

// Returns the version number that CPython gave the code object. Returns 0 if there is none, or if
// this layout has no such field.
uint32_t VersionOf(uint64_t code, const PyLayout& l) {
  uint32_t version = 0;
  if (l.co_version != 0) SafeLoad(code + l.co_version, &version);
  return version;
}

// Allocates a record in the arena, with room for the texts whose lengths `shape` gives, and fills
// in its head. If the arena is full, counts that and returns null.
void* Reserve(const wire::CodeRecord& shape, uint64_t* offset) {
  void* room = g_session.Allocate(wire::CodeRecordBytes(shape), offset);
  if (room == nullptr) {
    g_session.Count(wire::kCodeArenaFull);
    return nullptr;
  }
  auto* record = static_cast<wire::CodeRecord*>(room);
  record->first_line = shape.first_line;
  record->line_format = shape.line_format;
  record->name_width = shape.name_width;
  record->file_width = shape.file_width;
  record->name_chars = shape.name_chars;
  record->file_chars = shape.file_chars;
  record->table_bytes = shape.table_bytes;
  return room;
}

// Copies the code object into the arena. Returns the id of the record, or 0 if the arena is full.
uint32_t Record(uint64_t code, const PyLayout& l) {
  uint32_t line = 0;
  uint64_t file_object = 0, name_object = 0, table_object = 0, table_bytes = 0;
  SafeLoad(code + l.co_first_line, &line);
  SafeLoad(code + l.co_filename, &file_object);
  SafeLoad(code + l.co_name, &name_object);
  SafeLoad(code + l.co_table, &table_object);
  if (table_object != 0) SafeLoad(table_object + l.bytes_size, &table_bytes);
  Text name = ReadText(name_object, l, kMaxNameChars);
  Text file = ReadText(file_object, l, kMaxFileChars);
  wire::CodeRecord shape{};
  shape.first_line = line;
  shape.line_format = l.lines;
  shape.name_width = name.width;
  shape.file_width = file.width;
  shape.name_chars = name.chars;
  shape.file_chars = file.chars;
  shape.table_bytes = static_cast<uint32_t>(table_bytes <= kMaxTableBytes ? table_bytes : 0);
  uint64_t offset = 0;
  void* room = Reserve(shape, &offset);
  if (room == nullptr) return 0;
  auto* record = static_cast<wire::CodeRecord*>(room);
  auto* bytes = static_cast<uint8_t*>(room);
  SafeCopy(bytes + wire::CodeNameOffset(shape), name.data, uint64_t{name.chars} * name.width);
  SafeCopy(bytes + wire::CodeFileOffset(shape), file.data, uint64_t{file.chars} * file.width);
  SafeCopy(bytes + wire::CodeTableOffset(shape), table_object + l.bytes_data, shape.table_bytes);
  record->ready.store(1, std::memory_order_release);
  return static_cast<uint32_t>(offset / wire::kArenaUnit);
}

// True if this code object is Module.__call__ of PyTorch. Its name depends on the version of
// PyTorch; from CPython 3.11 on it includes the class.
bool CallsModule(uint64_t code, const PyLayout& l) {
  constexpr const char* kNames[] = {"_wrapped_call_impl", "Module._wrapped_call_impl",
                                    "_call_impl",         "Module._call_impl",
                                    "__call__",           "Module.__call__"};
  if (!CodeFileEndsWith(code, l, "torch/nn/modules/module.py")) return false;
  for (const char* name : kNames) {
    if (CodeNameIs(code, l, name)) return true;
  }
  return false;
}

uint32_t PutUtf8(uint32_t c, char out[4]) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  const uint32_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr uint8_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = static_cast<char>(kLead[more] | c >> (6 * more));
  for (uint32_t i = 1; i <= more; ++i) {
    out[i] = static_cast<char>(0x80 | (c >> (6 * (more - i)) & 0x3f));
  }
  return more + 1;
}

}  // namespace

uint32_t CopyText(uint64_t object, const PyLayout& layout, char* out, uint32_t room) {
  const Text text = ReadText(object, layout, room);
  uint32_t used = 0;
  for (uint32_t i = 0; i < text.chars; ++i) {
    const uint64_t at = text.data + uint64_t{i} * text.width;
    uint8_t narrow = 0;
    uint16_t wide = 0;
    uint32_t c = 0;
    const bool read = text.width == 4   ? SafeLoad(at, &c)
                      : text.width == 2 ? SafeLoad(at, &wide)
                                        : SafeLoad(at, &narrow);
    c |= wide | narrow;
    char encoded[4];
    if (!read || c == 0 || c > 0x10ffff) break;
    const uint32_t bytes = PutUtf8(c, encoded);
    if (used + bytes > room) break;
    std::memcpy(out + used, encoded, bytes);
    used += bytes;
  }
  return used;
}

void CodeIds::Start() {
  if (slots_ == nullptr) {
    void* p = mmap(nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    slots_ = p == MAP_FAILED ? nullptr : static_cast<Slot*>(p);
  }
  epoch_ += uint64_t{1} << 56;  // earlier fingerprints no longer match
}

// Returns the key of a code object that has the version number `version`. In CPython 3.13 each
// interpreter counts versions for itself. The line and the file, which are stored nearby, are
// therefore part of the key.
uint64_t CodeIds::KeyOfVersion(uint64_t code, const PyLayout& l, uint32_t version) const {
  uint32_t line = 0;
  uint64_t file = 0;
  SafeLoad(code + l.co_first_line, &line);
  SafeLoad(code + l.co_filename, &file);
  return wire::AddToHash(code + epoch_, file, uint64_t{version} << 32 | line) | 1;
}

uint64_t CodeIds::KeyOf(uint64_t code, const PyLayout& layout) const {
  const uint32_t version = VersionOf(code, layout);
  return version != 0 ? KeyOfVersion(code, layout, version) : Fingerprint(code, layout, epoch_) | 1;
}

// Sets *out to the id that is stored for `key`. If there is none, returns false and sets *free_slot
// to the slot to store it in.
bool CodeIds::Find(uint64_t code, uint64_t key, uint32_t* out, Slot** free_slot) const {
  const uint32_t first = SlotOf(code);
  *out = 0;
  *free_slot = nullptr;
  for (uint32_t i = 0; i < kProbes; ++i) {
    Slot& slot = slots_[(first + i) & (kSlots - 1)];
    const uint64_t id = slot.id.load(std::memory_order_relaxed);
    const uint64_t stored = slot.key.load(std::memory_order_relaxed);
    if ((stored ^ id) == key) {
      *out = static_cast<uint32_t>(id);
      return true;
    }
    if (stored == 0 && *free_slot == nullptr) *free_slot = &slot;
  }
  if (*free_slot == nullptr) *free_slot = &slots_[(first + key % kProbes) & (kSlots - 1)];
  return false;
}

uint32_t CodeIds::Known(uint64_t code, const PyLayout& layout) const {
  const uint32_t version = slots_ == nullptr ? 0 : VersionOf(code, layout);
  uint32_t id = 0;
  Slot* ignored = nullptr;
  if (version != 0) Find(code, KeyOfVersion(code, layout, version), &id, &ignored);
  return id;
}

void CodeIds::Fetch(uint64_t code, const PyLayout& layout) const {
  const auto fetch = [](uint64_t at) { __builtin_prefetch(reinterpret_cast<const void*>(at)); };
  if (slots_ != nullptr) fetch(reinterpret_cast<uint64_t>(&slots_[SlotOf(code)]));
  if (layout.co_version != 0) return fetch(code + layout.co_version);
  fetch(code + layout.ob_type);
  fetch(code + layout.co_first_line);
  fetch(code + layout.co_filename);
  fetch(code + layout.co_table);
}

uint32_t CodeIds::Id(uint64_t code, const PyLayout& layout) {
  if (slots_ == nullptr) return 0;
  const uint64_t key = KeyOf(code, layout);
  uint32_t known = 0;
  Slot* free_slot = nullptr;
  if (Find(code, key, &known, &free_slot)) return known;
  uint64_t id = Record(code, layout);
  if (id != 0 && CallsModule(code, layout)) id |= kCallsModule;
  free_slot->id.store(id, std::memory_order_relaxed);
  free_slot->key.store(key ^ id, std::memory_order_relaxed);
  return static_cast<uint32_t>(id);
}

bool CodeNameIs(uint64_t code, const PyLayout& layout, const char* name) {
  return EndsWith(code + layout.co_name, layout, name, true);
}

bool TextIs(uint64_t object, const PyLayout& layout, const char* text) {
  return ObjectEndsWith(object, layout, text, true);
}

uint32_t RecordText(uint64_t object, const PyLayout& layout) {
  const Text text = ReadText(object, layout, kMaxNameChars);
  if (text.chars == 0) return 0;
  wire::CodeRecord shape{};
  shape.line_format = layout.lines;
  shape.name_width = text.width;
  shape.file_width = 1;
  shape.name_chars = text.chars;
  uint64_t offset = 0;
  void* room = Reserve(shape, &offset);
  if (room == nullptr) return 0;
  SafeCopy(static_cast<uint8_t*>(room) + wire::CodeNameOffset(shape), text.data,
           uint64_t{text.chars} * text.width);
  static_cast<wire::CodeRecord*>(room)->ready.store(1, std::memory_order_release);
  return static_cast<uint32_t>(offset / wire::kArenaUnit);
}

bool CodeFileEndsWith(uint64_t code, const PyLayout& layout, const char* end) {
  return EndsWith(code + layout.co_filename, layout, end, false);
}

}  // namespace gprofx::agent
