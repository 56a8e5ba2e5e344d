// Confines this process with Landlock (Linux 5.13+) to what a server of profiles needs: reading
// below the served folders. The process can access nothing else in the file system, and cannot
// write, create or remove files. If a name is replaced with a symbolic link after it was checked,
// the link therefore gives no access to other files.
//
// Applies to this thread and to everything that it starts. Files that are open stay open. Without
// Landlock, nothing changes, and only the checks of served_folders.h protect other files.
#pragma once

#include <span>
#include <string>

namespace gprofx {

void ConfineToReading(std::span<const std::string> folders);

}  // namespace gprofx
