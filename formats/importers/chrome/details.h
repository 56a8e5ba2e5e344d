// Reads numbers from texts in JAX traces, such as "regs:32 grid:1,2,3". Pure.
#pragma once

#include <charconv>
#include <string_view>

#include "core/gpu/gpu.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

template <class Number>
Number NumberIn(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

GpuKernelConfig KernelDetails(std::string_view details);
void ReadCopyDetails(std::string_view details, TraceWork& copy);

}  // namespace gprofx::importers
