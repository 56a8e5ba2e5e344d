// Finds the vDSO: a shared object without a file, which the kernel maps into every process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gprofx {

bool IsVdsoPath(const std::string& path);  // "[vdso]", "linux-vdso.so.1"

// Returns the vDSO that is mapped into this process; empty if there is none.
std::span<const std::byte> OwnVdso();

}  // namespace gprofx
