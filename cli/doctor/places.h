// Finds the places where doctor searches, and asks helper programs about libraries. Reads the
// environment and files, and starts Python interpreters and gprofx-foreign. One thread.
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
// Returns the package folders of the Pythons on PATH, which contain the CUDA libraries that PyTorch
// installs as packages.
std::vector<std::string> PythonPackages();
// Returns the folders of all installed CUDA toolkits.
std::vector<std::string> CudaHomes();
// Returns the path of the library `name` of gprof-x. It is in lib/gprof-x/ beside the folder bin/
// of this program, in an installation as well as in a build tree.
std::filesystem::path OwnLibrary(const char* name);

// Name of the helper program that AskForeign() runs.
inline constexpr char kForeignName[] = "gprofx-foreign";

// Runs gprofx-foreign with the arguments `question`. It loads libraries of this machine and answers
// questions about them; gprof-x itself is linked statically and loads none. Returns the output, one
// line per answer, or nothing if it failed.
std::optional<std::string> AskForeign(std::vector<std::string> question, int milliseconds);

}  // namespace gprofx
