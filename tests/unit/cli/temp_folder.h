// A folder of a test, which goes with it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

namespace gprofx {

struct TempFolder {
  TempFolder() {
    char pattern[] = "/tmp/gprof-x-ci-test-XXXXXX";
    path = mkdtemp(pattern);
  }
  ~TempFolder() { [[maybe_unused]] const int status = system(("rm -rf " + path).c_str()); }
  std::string path;
};

inline void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace gprofx
