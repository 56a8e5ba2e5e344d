// Holds the offsets of fields in CPython's structs that a walk of Python frames needs, for one
// version of the interpreter. They are the same on x86-64 and aarch64.
//
// The offsets for 3.8 to 3.12 are in tables, which were printed from the real headers; a struct
// does not change within a minor version. 3.13 and newer publish their own offsets
// (_Py_DebugOffsets), which are read and checked. Source: Include/cpython and Include/internal of
// each version.
#pragma once

#include <cstdint>

#include "samplers/wire/records.h"

namespace gprofx::agent {

struct PyLayout {
  uint16_t minor = 0;          // of version 3.<minor>; 0 = not valid
  bool free_threaded = false;  // supported, but experimental

  // PyThreadState
  uint16_t ts_frame =
      0;  // <= 3.10: PyFrameObject*; 3.11, 3.12: CFrame*; 3.13+: _PyInterpreterFrame*
  uint16_t ts_status = 0;     // 3.12+: bit 4 = attached
  uint16_t ts_native_id = 0;  // 3.11+: kernel thread id
  uint16_t ts_thread_id = 0;  // <= 3.11: pthread_t of the thread
  uint16_t is_head = 0;       // <= 3.11: in PyInterpreterState, head of its list of thread states
  // _PyInterpreterFrame, or PyFrameObject up to 3.10
  uint16_t f_code = 0, f_back = 0, f_instruction = 0, f_owner = 0, f_is_entry = 0;
  uint16_t f_locals = 0;      // the first local variable
  uint16_t f_tlbc_index = 0;  // free-threaded 3.14+: index of the bytecode copy that runs
  // CFrame of 3.11, 3.12
  uint16_t cf_current = 0, cf_previous = 0;
  // PyCodeObject
  uint16_t co_first_line = 0, co_filename = 0, co_name = 0, co_table = 0, co_version = 0,
           co_bytecode = 0;
  uint16_t co_tlbc = 0;
  // Fields at the start of every object, and fields of bytes and str objects.
  uint16_t ob_type = 8;
  uint16_t bytes_size = 16, bytes_data = 32;
  uint16_t str_length = 16, str_state = 32, str_ascii_data = 0, str_wide_data = 0;
  // Free-threaded 3.14+: `interned` takes a whole byte, which shifts the other state bits by 6.
  bool str_wide_state = false;
  wire::LineFormat lines = wire::LineFormat::kLocations;

  bool valid() const { return minor != 0; }
  // Returns the object that a reference in a frame points to. From 3.14 on, the two lowest bits of
  // the reference are tag bits.
  uint64_t ObjectOf(uint64_t reference) const {
    return minor >= 14 ? reference & ~uint64_t{3} : reference;
  }
};

// Returns the table for CPython 3.8 to 3.12. The result is not valid() for other versions.
PyLayout LayoutOfVersion(int minor);

// Reads the offsets that CPython 3.13 and newer publish at `runtime`, the address of _PyRuntime.
// Uses safe loads. The result is not valid() if a check fails or the version is unknown.
PyLayout LayoutFromDebugOffsets(uint64_t runtime);

}  // namespace gprofx::agent
