// The vDSO: the shared object that the kernel maps into every process. It has no file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gprofx {

bool IsVdsoPath(const std::string& path);  // "[vdso]", "linux-vdso.so.1"

// Returns the image in this process, empty if there is none.
std::span<const std::byte> OwnVdso();

}  // namespace gprofx
