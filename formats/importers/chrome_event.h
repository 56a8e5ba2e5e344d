// Defines one event of a Chrome trace. The fields have the names and values of the JSON. Clear
// keeps the memory of texts for the next event.
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
  // In merged traces, an id may be a text, such as "[TP00] 100" or "stream 7". The text is then in
  // pid_word or tid_word, and pid or tid is a negative number that identifies it.
  std::optional<int64_t> pid, tid;
  std::string pid_word, tid_word;
  std::optional<int64_t> start, duration;  // ns
  // Fields of the object "args":
  std::string label;  // "name" of a process or thread
  std::string sync_kind, kernel_details, copy_details;
  int64_t sequence = -1, forward_thread = 0;  // set by autograd
  int64_t correlation = 0, device = -1, context = 0, stream = -1, bytes = 0;
  // Fields of the events "[memory]". device_type is a c10::DeviceType; -1 = missing.
  int64_t device_type = -1, address = 0, changed = 0, allocated = -1, reserved = -1;
  GpuKernelConfig config;
  std::vector<TensorShape> shapes;  // shapes of the operator's arguments
  std::vector<std::string> types;
  int64_t external = 0;           // id that an operator and its kernels share; 0 = unknown
  int64_t elements = 0;           // number of elements in the message of a collective
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
