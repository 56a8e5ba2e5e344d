// Where doctor searches, and the programs that it asks about libraries. Reads environment and
// files, starts interpreters and gprofx-foreign. One thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gprofx {

inline constexpr int kPythonMilliseconds = 3000;

std::string Variable(const char* name);  // environment variable; "" = not set
// Returns the Python interpreters on PATH, each file once.
std::vector<std::string> PythonsOnPath();
// Returns the package folders of the Pythons on PATH: PyTorch ships CUDA libraries as packages.
std::vector<std::string> PythonPackages();
// Returns the folders of CUDA toolkits.
std::vector<std::string> CudaHomes();
// Returns the path of one of our libraries: both an installation and a build tree have bin/gprof-x
// and lib/gprof-x/.
std::filesystem::path OwnLibrary(const char* name);
// Asks gprofx-foreign about the machine's libraries; each answer is a line. gprof-x itself is
// static and loads none.
std::optional<std::string> AskForeign(std::vector<std::string> question, int milliseconds);

}  // namespace gprofx
