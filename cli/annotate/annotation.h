// PC samples of one kernel, brought to source lines and instructions. Pure functions of their
// input; any bytes as code are accepted, what cannot be read has no lines. Counts are PC samples;
// sums saturate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/cubin/cubin.h"

namespace gprofx {

class NameRedactor;

// A module that holds the kernel. The same kernel may be in several: Triton compiles one for each
// specialisation.
struct AnnotateModule {
  uint64_t hash = 0;
  std::vector<std::byte> code;           // a cubin; may be empty
  std::map<uint64_t, std::string> sass;  // offset in the section of the kernel -> instruction
};

struct AnnotateSample {
  size_t module = 0;    // position in AnnotateInput::modules
  uint64_t offset = 0;  // from the start of the kernel
  std::string stall;
  int64_t samples = 0;
  int64_t latency = 0;  // part of `samples` in which the scheduler issued nothing
};

struct AnnotateInput {
  std::string kernel;  // demangled, in full
  std::vector<AnnotateModule> modules;
  std::vector<AnnotateSample> samples;
  std::map<std::string, std::string> sources;  // path -> text, as recorded
};

struct StallCounts {
  int64_t samples = 0, latency = 0;
  std::map<std::string, int64_t> stalls;

  void Add(const AnnotateSample& sample);
  // Largest first, at most `most`.
  std::vector<std::pair<std::string, int64_t>> Leading(size_t most) const;
};

struct AnnotatedInstruction {
  uint64_t offset = 0;  // from the start of the kernel
  StallCounts counts;
  std::string text;               // "" = not disassembled
  std::string function;           // mangled, of the device function; "" = of the kernel itself
  std::vector<CubinLine> places;  // outermost first
};

struct AnnotatedModule {
  uint64_t hash = 0;
  uint32_t architecture = 0;
  bool has_code = false, has_lines = false, has_sass = false;
  StallCounts counts;
  // By offset. All of the kernel where there is SASS, else those with samples.
  std::vector<AnnotatedInstruction> instructions;
};

struct AnnotatedLine {
  std::string file;  // "" and line 0: instructions without a line
  uint32_t line = 0;
  std::string text;  // "" = the recording does not hold the source
  StallCounts counts;
  // What of it ran inlined: the places that lead to this line, outermost first, without itself.
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

// Hashes in place of names and files that could be the user's own (core/redact/name_redactor.h),
// without source text and without names of functions in instructions.
void RedactNames(const NameRedactor& names, Annotation& annotation);

// The function that people know by the demangled name `kernel`; nullptr = not there.
const CubinFunction* FindKernel(const Cubin& cubin, std::string_view kernel);

}  // namespace gprofx
