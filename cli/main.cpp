#include "cli/command_line.h"

int main(int argc, char** argv) {
  return gprofx::RunCommandLine(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
