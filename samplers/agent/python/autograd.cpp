// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/python/autograd.h"

#include <cstring>

#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

bool EntersAutograd(uint64_t code, const PyLayout& layout) {
  // PyTorch 2.2 and newer enter the engine through a function with this name. Older ones call it in
  // backward() and grad().
  if (CodeNameIs(code, layout, "_engine_run_backward")) return true;
  return (CodeNameIs(code, layout, "backward") || CodeNameIs(code, layout, "grad")) &&
         CodeFileEndsWith(code, layout, "/torch/autograd/__init__.py");
}

namespace {

constexpr uint32_t kTrustedAnswers = 15;

uint64_t LookForThreadInAutograd(const ThreadState* asker) {
  uint64_t found = 0;
  const uint32_t high = g_session.used_slots();
  for (uint32_t slot = 0; slot < high; ++slot) {
    const ThreadState* state = ActiveThread(slot);
    if (state == nullptr || state == asker) continue;
    const uint64_t thread = state->python_thread.load(std::memory_order_relaxed);
    if (thread == 0) continue;
    const uint64_t code = g_python.CodeOf(g_python.TopFrame(thread));
    if (code == 0 || !EntersAutograd(code, g_python.layout())) continue;
    if (found != 0) return 0;
    found = thread;
  }
  return found;
}

}  // namespace

uint64_t ThreadInAutograd(ThreadState* asker) {
  AutogradWait& known = asker->autograd;
  if (known.trusted != 0) {
    --known.trusted;
    const uint64_t frame = g_python.TopFrame(known.thread);
    if (frame != 0 && frame == known.frame && g_python.CodeOf(frame) == known.code)
      return known.thread;
  }
  known = {};
  known.thread = LookForThreadInAutograd(asker);
  if (known.thread == 0) return 0;
  known.frame = g_python.TopFrame(known.thread);
  known.code = g_python.CodeOf(known.frame);
  if (known.code != 0) known.trusted = kTrustedAnswers;
  return known.thread;
}

}  // namespace gprofx::agent
