// Disassembles code with NVIDIA's nvdisasm, if it is installed.
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

// Parses the output of `nvdisasm -c`: offset in the section -> instruction. If there are several
// sections, reads only the first. Pure. Skips lines that are not instructions; hostile text costs
// no more than its size.
std::map<uint64_t, std::string> ParseSass(std::string_view listing);

// Searches PATH, $CUDA_HOME/bin and /usr/local/cuda/bin, in this order; "" = not found.
std::string FindNvdisasm(const std::function<const char*(const char*)>& env);

// Runs nvdisasm on the function with this index in the symbol table, without a shell, on a
// temporary file, limited to 10 s, 4 GiB of memory and 64 MiB of output. nvdisasm is confined
// (symbolize/sandbox/confined_program.h): it can only read files and print. Returns nothing if it
// fails, or if the kernel does not support system call filters. Blocking.
std::optional<std::map<uint64_t, std::string>> Disassemble(const std::string& nvdisasm,
                                                           std::span<const std::byte> cubin,
                                                           uint32_t function);

}  // namespace gprofx
