// Imports Chrome traces of PyTorch's profiler (Kineto) and of JAX. They may be compressed with
// gzip.
//
//   event                          becomes
//   cpu_op, user_annotation        frames of kind operator; annotations are markers, too
//   python_function                frames of kind python (file(line): name), operator (nn.Module)
//   cuda_runtime, cuda_driver      frames of kind native, or cuda_api if the host waits
//   kernel, gpu_memcpy, gpu_memset GPU work, below the call with the same correlation id
//   cuda_sync                      rows of the stream "syncs"
//
// JAX marks GPU work by the name of its process, "/device:GPU:0", and of its thread, "Stream #7".
// Times are parsed from text, exact to the nanosecond.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {

// Reads a trace into `gather`. Returns a description of what was read: "PyTorch profiler (Kineto
// JSON)".
Result<std::string> ReadChromeTrace(ByteSource& source, const std::string& path,
                                    TraceGather& gather);

}  // namespace gprofx::importers
