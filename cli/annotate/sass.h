// Disassembles GPU code with NVIDIA's nvdisasm, if that is installed.
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

// Parses the output of `nvdisasm -c`. Returns the instruction at each offset in the section. Reads
// only the first section, and skips lines that are not instructions. Takes time proportional to the
// text, whatever it contains. Pure.
std::map<uint64_t, std::string> ParseSass(std::string_view listing);

// Returns the path of nvdisasm. Returns "" if it is not found. Searches PATH, $CUDA_HOME/bin and
// /usr/local/cuda/bin, in this order. `env` returns the value of an environment variable.
std::string FindNvdisasm(const std::function<const char*(const char*)>& env);

// Runs nvdisasm, without a shell, on a temporary file with the code `cubin`. Returns the
// instructions of the function with the index `function` in the symbol table. Returns nullopt if
// nvdisasm fails, or if the system does not support system call filters. Blocking.
//
// nvdisasm gets at most 10 s, 4 GiB of memory and 64 MiB of output. It is confined
// (symbolize/sandbox/confined_program.h): it can only read files and print.
std::optional<std::map<uint64_t, std::string>> Disassemble(const std::string& nvdisasm,
                                                           std::span<const std::byte> cubin,
                                                           uint32_t function);

}  // namespace gprofx
