// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/python/layout.h"

#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

PyLayout LayoutOfVersion(int minor) {
  PyLayout l;
  l.minor = static_cast<uint16_t>(minor);
  l.str_ascii_data = minor >= 12 ? 40 : 48;
  l.str_wide_data = minor >= 12 ? 56 : 72;
  switch (minor) {
    case 8:
    case 9:
    case 10:
      l.ts_frame = 24;
      l.ts_thread_id = 176;
      l.is_head = 8;
      l.f_code = 32;
      l.f_back = 24;
      l.f_instruction = minor == 10 ? 96 : 104;
      l.f_locals = minor == 10 ? 352 : 360;
      l.co_first_line = 40;
      l.co_filename = 104;
      l.co_name = 112;
      l.co_table = 120;
      l.lines = minor == 10 ? wire::LineFormat::kPep626 : wire::LineFormat::kLnotab;
      return l;
    case 11:
      l.ts_frame = 56;
      l.ts_native_id = 160;
      l.ts_thread_id = 152;
      l.is_head = 16;
      l.cf_current = 8;
      l.cf_previous = 16;
      l.f_code = 32;
      l.f_back = 48;
      l.f_instruction = 56;
      l.f_is_entry = 68;
      l.f_owner = 69;
      l.f_locals = 72;
      l.co_first_line = 72;
      l.co_filename = 112;
      l.co_name = 128;  // the qualified name
      l.co_table = 136;
      l.co_bytecode = 184;
      return l;
    case 12:
      l.ts_frame = 56;
      l.ts_status = 24;
      l.ts_native_id = 144;
      l.cf_current = 0;
      l.cf_previous = 8;
      l.f_code = 0;
      l.f_back = 8;
      l.f_instruction = 56;
      l.f_owner = 70;
      l.f_locals = 72;
      l.co_first_line = 68;
      l.co_filename = 112;
      l.co_name = 128;
      l.co_table = 136;
      l.co_version = 92;
      l.co_bytecode = 192;
      return l;
    default:
      return {};
  }
}

namespace {

// Reads the fields of _Py_DebugOffsets in order; all fields are 64 bits.
class OffsetReader {
 public:
  explicit OffsetReader(uint64_t at) : at_(at) {}
  uint64_t Next() {
    uint64_t value = 0;
    ok_ = SafeLoad(at_, &value) && ok_;
    at_ += 8;
    return value;
  }
  // Reads the next field, which is an offset into a struct of `size` bytes. If it is not below
  // `size`, clears ok().
  uint16_t Field(uint64_t size) {
    uint64_t value = Next();
    if (value >= size || value > 0xffff) ok_ = false;
    return static_cast<uint16_t>(value);
  }
  void Skip(int fields) { at_ += static_cast<uint64_t>(fields) * 8; }
  bool ok() const { return ok_; }

 private:
  uint64_t at_;
  bool ok_ = true;
};

}  // namespace

PyLayout LayoutFromDebugOffsets(uint64_t runtime) {
  OffsetReader r(runtime);
  char cookie[8] = {};
  if (!SafeCopy(cookie, runtime, 8) || __builtin_memcmp(cookie, "xdebugpy", 8) != 0) return {};
  r.Skip(1);
  uint64_t version = r.Next();
  auto minor = static_cast<int>(version >> 16 & 0xff);
  uint32_t release_level = version >> 4 & 0xf;
  // Reject pre-releases, whose layout may differ from that of the release.
  if (version >> 24 != 3 || minor < 13 || minor > 15 || release_level != 0xf) return {};
  PyLayout l;
  l.minor = static_cast<uint16_t>(minor);
  l.free_threaded = r.Next() != 0;
  r.Skip(3);                      // runtime_state
  r.Skip(minor == 13 ? 13 : 16);  // interpreter_state; 3.14 added threads_main and two generations
  uint64_t ts_size = r.Next();
  r.Skip(3);  // prev, next, interp
  l.ts_frame = r.Field(ts_size);
  if (minor >= 15) r.Skip(3);  // base_frame, two about the last profiler
  r.Skip(1);                   // thread_id
  l.ts_native_id = r.Field(ts_size);
  r.Skip(1);  // datastack_chunk
  l.ts_status = r.Field(ts_size);
  if (minor >= 15) r.Skip(4 + 1);  // locks and exceptions; err_stackitem
  uint64_t f_size = r.Next();
  l.f_back = r.Field(f_size);
  l.f_code = r.Field(f_size);
  l.f_instruction = r.Field(f_size);
  l.f_locals = r.Field(f_size);
  l.f_owner = r.Field(f_size);
  if (minor >= 14) {
    r.Skip(1);  // stackpointer
    uint64_t tlbc = r.Next();
    l.f_tlbc_index = l.free_threaded && tlbc < f_size ? static_cast<uint16_t>(tlbc) : 0;
  }
  uint64_t co_size = r.Next();
  l.co_filename = r.Field(co_size);
  r.Skip(1);  // name
  l.co_name = r.Field(co_size);
  l.co_table = r.Field(co_size);
  l.co_first_line = r.Field(co_size);
  // CPython does not publish the offset of co_version. The field follows the five numbers after
  // co_first_line. That the version distinguishes code objects was verified only for 3.13.
  if (minor == 13) l.co_version = static_cast<uint16_t>(l.co_first_line + 6 * sizeof(uint32_t));
  r.Skip(3);  // argcount, localsplusnames, localspluskinds
  l.co_bytecode = r.Field(co_size);
  if (minor >= 14) {
    uint64_t tlbc = r.Next();
    l.co_tlbc = l.free_threaded && tlbc < co_size ? static_cast<uint16_t>(tlbc) : 0;
  }
  uint64_t ob_size = r.Next();
  l.ob_type = r.Field(ob_size);
  r.Skip(4);                       // type_object
  if (minor >= 15) r.Skip(2 + 2);  // the rest of it, heap_type_object
  r.Skip(3 + 3);                   // tuple, list
  if (minor >= 14) r.Skip(4);      // set
  r.Skip(3 + 2 + 3);               // dict, float, long
  uint64_t bytes_size = r.Next();
  l.bytes_size = r.Field(bytes_size);
  l.bytes_data = r.Field(bytes_size + 1);
  uint64_t str_size = r.Next();
  l.str_state = r.Field(str_size);
  l.str_length = r.Field(str_size);
  l.str_ascii_data = r.Field(str_size + 1);
  // Non-ASCII text follows a larger head: PyASCIIObject, then utf8_length and utf8.
  l.str_wide_data = static_cast<uint16_t>(l.str_ascii_data + 16);
  l.str_wide_state = l.free_threaded && minor >= 14;
  if (!r.ok()) return {};
  return l;
}

}  // namespace gprofx::agent
