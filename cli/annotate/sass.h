// Disassembly by NVIDIA's nvdisasm, where it is installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gprofx {

// The listing of `nvdisasm -c`: offset in the section -> instruction. Of several sections the
// first. Pure; lines that are no instructions are skipped, hostile text costs its own size.
std::map<uint64_t, std::string> ParseSass(std::string_view listing);

// In PATH, $CUDA_HOME/bin, /usr/local/cuda/bin, in this order; "" = nowhere.
std::string FindNvdisasm(const std::function<const char*(const char*)>& env);

// Runs nvdisasm on the function with this index in the symbol table, without a shell, on a
// temporary file, for at most 10 s, 4 GiB of memory and 64 MiB of output. It is confined
// (symbolize/sandbox/confined_program.h): it reads files and prints. Nothing if that does not work,
// or if the kernel has no filter of system calls. Blocking.
std::optional<std::map<uint64_t, std::string>> Disassemble(const std::string& nvdisasm,
                                                           std::span<const std::byte> cubin,
                                                           uint32_t function);

}  // namespace gprofx
