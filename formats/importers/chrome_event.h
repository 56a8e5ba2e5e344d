// One event of a Chrome trace, with the fields as the JSON has them. Text fields keep their memory
// from event to event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu/gpu.h"
#include "core/kernels/operator_work.h"

namespace gprofx::importers {

struct ChromeEvent {
  std::string name, category, phase;
  // Ids may be words ("[TP00] 100", "stream 7"): then the word is here, and a number below 0 that
  // stands for it.
  std::optional<int64_t> pid, tid;
  std::string pid_word, tid_word;
  std::optional<int64_t> start, duration;  // ns
  // args
  std::string label;  // "name" of a process or thread
  std::string sync_kind, kernel_details, copy_details;
  int64_t sequence = -1, forward_thread = 0;  // of autograd
  int64_t correlation = 0, device = -1, context = 0, stream = -1, bytes = 0;
  // Of "[memory]" events. device_type: c10::DeviceType, -1 = missing.
  int64_t device_type = -1, address = 0, changed = 0, allocated = -1, reserved = -1;
  GpuKernelConfig config;
  std::vector<TensorShape> shapes;  // of the operator's arguments
  std::vector<std::string> types;
  int64_t external = 0;           // joins an operator and its kernels; 0 = unknown
  int64_t elements = 0;           // of a collective's message
  std::string collective, ranks;  // "allreduce", "[0, 1]"

  void Clear() {
    for (std::string* text : {&name, &category, &phase, &pid_word, &tid_word, &label, &sync_kind,
                              &kernel_details, &copy_details, &collective, &ranks}) {
      text->clear();
    }
    pid = tid = start = duration = std::nullopt;
    correlation = context = bytes = 0;
    device = stream = sequence = -1;
    forward_thread = external = elements = address = changed = 0;
    device_type = allocated = reserved = -1;
    config = {};
    shapes.clear();
    types.clear();
  }
};

}  // namespace gprofx::importers
