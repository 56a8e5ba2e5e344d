// Where doctor looks, and whom it asks about libraries. Reads environment and files, starts
// interpreters and gprofx-foreign; one thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gprofx {

inline constexpr int kPythonMilliseconds = 3000;

std::string Variable(const char* name);  // of the environment; "" = not set
// Interpreters of PATH, each file once.
std::vector<std::string> PythonsOnPath();
// Folders of packages of the Pythons on PATH: PyTorch brings libraries of CUDA as packages.
std::vector<std::string> PythonPackages();
// Folders of CUDA toolkits.
std::vector<std::string> CudaHomes();
// Our libraries: both an installation and a build tree have bin/gprof-x and lib/gprof-x/.
std::filesystem::path OwnLibrary(const char* name);
// What the machine's libraries say, each answer a line: gprof-x itself is static and loads none.
std::optional<std::string> AskForeign(std::vector<std::string> question, int milliseconds);

}  // namespace gprofx
