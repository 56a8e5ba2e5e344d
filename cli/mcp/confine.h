// The kernel holds this process to what a server of profiles may do (Landlock, Linux 5.13): read
// below the served folders, and nothing else of the file system. So a name that becomes a link to
// another place after it was checked opens nothing, and no file can be written, made or removed.
//
// For this thread and all that it starts; files that are open stay so. Best effort: a kernel
// without Landlock changes nothing, and the checks of served_folders.h are left.
#pragma once

#include <span>
#include <string>

namespace gprofx {

void ConfineToReading(std::span<const std::string> folders);

}  // namespace gprofx
