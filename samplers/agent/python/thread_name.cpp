// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/python/thread_name.h"

#include "samplers/agent/python/attributes.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

bool StartsThread(uint64_t code, const PyLayout& layout) {
  // Qualified name, from CPython 3.11 on.
  const bool named =
      CodeNameIs(code, layout, "Thread._bootstrap") || CodeNameIs(code, layout, "_bootstrap");
  return named && CodeFileEndsWith(code, layout, "/threading.py");
}

uint64_t NameOfThread(uint64_t frame, const PyLayout& layout) {
  if (layout.free_threaded || layout.f_locals == 0) return 0;
  uint64_t thread = 0;
  if (!SafeLoad(frame + layout.f_locals, &thread)) return 0;
  thread = layout.ObjectOf(thread);
  if (thread == 0 || thread % 8 != 0) return 0;
  uint32_t left = kMaxAttributes;
  const uint64_t name = AttributeOf(thread, layout, "_name", &left);
  return IsStr(name, layout) ? name : 0;
}

}  // namespace gprofx::agent
