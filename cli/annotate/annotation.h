// Maps the PC samples of one kernel to source lines and instructions. Pure. Counts are numbers of
// PC samples; sums saturate. Code may consist of any bytes. If it cannot be parsed, it has no
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/cubin/cubin.h"

namespace gprofx {

class NameRedactor;

// A module that contains the kernel. Several modules may contain it, because Triton compiles one
// for each specialization.
struct AnnotateModule {
  uint64_t hash = 0;
  std::vector<std::byte> code;           // cubin (ELF file of GPU code); may be empty
  std::map<uint64_t, std::string> sass;  // offset in the kernel's section -> instruction
};

struct AnnotateSample {
  size_t module = 0;    // index into AnnotateInput::modules
  uint64_t offset = 0;  // bytes from the start of the kernel
  std::string stall;
  int64_t samples = 0;
  int64_t latency = 0;  // samples in which the scheduler issued no instruction
};

using SourceTexts = std::map<std::string, std::string>;  // path -> text, as recorded

struct AnnotateInput {
  std::string kernel;  // full demangled name
  std::vector<AnnotateModule> modules;
  std::vector<AnnotateSample> samples;
  std::shared_ptr<const SourceTexts> sources;  // nullptr = none; all kernels share them
};

struct StallCounts {
  int64_t samples = 0, latency = 0;
  std::map<std::string, int64_t> stalls;

  void Add(const AnnotateSample& sample);
  // Returns up to `most` stall reasons with their samples, largest first.
  std::vector<std::pair<std::string, int64_t>> Leading(size_t most) const;
};

struct AnnotatedInstruction {
  uint64_t offset = 0;  // bytes from the start of the kernel
  StallCounts counts;
  std::string text;  // "" = not disassembled
  // Mangled name of the device function to which the instruction belongs; "" = the kernel itself.
  std::string function;
  // Source line, and the calls that it was inlined into, outermost first.
  std::vector<CubinLine> places;
};

struct AnnotatedModule {
  uint64_t hash = 0;
  uint32_t architecture = 0;
  bool has_code = false, has_lines = false, has_sass = false;
  StallCounts counts;
  // Sorted by offset. If there is SASS, these are all instructions of the kernel, otherwise only
  // those with samples.
  std::vector<AnnotatedInstruction> instructions;
};

struct AnnotatedLine {
  std::string file;  // "" (and line 0) for the instructions without a line
  uint32_t line = 0;
  std::string text;  // "" = the recording does not contain the source
  StallCounts counts;
  // The samples of this line in one place where it was inlined. `places` are the call sites,
  // outermost first, without this line.
  struct Inlined {
    std::vector<CubinLine> places;
    int64_t samples = 0;
  };
  std::vector<Inlined> inlined;  // most samples first
};

struct Annotation {
  std::string kernel;
  StallCounts counts;
  std::vector<AnnotatedModule> modules;  // most samples first
  std::vector<AnnotatedLine> lines;      // most samples first
};

Annotation Annotate(const AnnotateInput& input);

// Replaces names and files that may be the user's own by hashes (core/redact/name_redactor.h).
// Removes source texts, and the names of functions in instructions.
void RedactNames(const NameRedactor& names, Annotation& annotation);

// Returns the function whose demangled name is `kernel`; nullptr if there is none.
const CubinFunction* FindKernel(const Cubin& cubin, std::string_view kernel);

}  // namespace gprofx
