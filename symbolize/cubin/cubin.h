// Reads the code of a GPU module (a cubin: an ELF file of machine EM_CUDA): its functions, and the
// source lines of their instructions with the chains of inlined calls.
//
// It does not use libdw, because libdw resolves NVIDIA's inline contexts wrongly in modules
// with several kernels, and would need a separate process for hostile input. It accepts any bytes:
// everything is bounds checked, memory stays within a small multiple of the input, and errors
// describe the damage. Pure functions of the bytes, which must outlive the Cubin. Any thread, once
// opened.
//
// Method: DWARF 2 line programs with the extended opcodes 0x90 (DW_LNE_NVIDIA_inlined_call) and
// 0x91 (DW_LNE_NVIDIA_set_function_name). A sequence belongs to the function that the relocation of
// its DW_LNE_set_address names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct CubinFunction {
  std::string name;     // mangled, as the compiler wrote it
  uint32_t index = 0;   // index in the symbol table
  uint64_t offset = 0;  // offset of its first instruction in `section`
  uint64_t size = 0;
  uint32_t section = 0;
  bool kernel = false;  // an entry point; otherwise a device function that one calls
};

struct CubinLine {  // one line of a chain; the kernel's own line is the first
  // Mangled name of the inlined function. In the first line of a chain, the kernel or the device
  // function that contains the instruction.
  std::string function;
  std::string file;
  uint32_t line = 0;
};

class Cubin {
 public:
  static Result<Cubin> Open(std::span<const std::byte> bytes);
  Cubin(Cubin&&) noexcept;
  Cubin& operator=(Cubin&&) noexcept;
  ~Cubin();

  const std::vector<CubinFunction>& functions() const;
  const CubinFunction* FindFunction(std::string_view name) const;
  // Returns the device function at `offset` from the start of `kernel`; `kernel` itself if there is
  // none. A device function is a local symbol inside the kernel's section.
  const CubinFunction* FunctionAt(const CubinFunction& kernel, uint64_t offset) const;

  // Returns the source lines of the instruction at `offset` from the start of the function,
  // outermost first. Empty if the module has no line information.
  std::vector<CubinLine> LinesAt(const CubinFunction& function, uint64_t offset) const;
  bool HasLines() const;

  // Returns the architecture as a number, such as 90 for "sm_90"; 0 if unknown.
  uint32_t architecture() const;

  // Returns an ELF file with the code, symbols and line tables of the sections that contain the
  // functions in `names`. These functions disassemble and resolve as in the original. Everything
  // else is left out, which changes the numbers of functions and sections. The kept parts of
  // .debug_str stay at their offsets, with zeros between them. The result is never much larger than
  // the input.
  std::vector<std::byte> Compact(const std::vector<std::string>& names) const;

 private:
  struct Impl;
  explicit Cubin(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
