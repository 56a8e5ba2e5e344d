// Confines this process by Landlock (Linux 5.13) to what a server of profiles may do: read below
// the served folders, and access nothing else of the file system. So a name that becomes a symbolic
// link to another place after it was checked opens nothing, and no file can be written, created or
// removed.
//
// Applies to this thread and everything that it starts; open files stay open. Best effort: without
// Landlock nothing changes, and only the checks of served_folders.h apply.
#pragma once

#include <span>
#include <string>

namespace gprofx {

void ConfineToReading(std::span<const std::string> folders);

}  // namespace gprofx
