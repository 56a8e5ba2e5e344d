// gprof-x mcp: answers an assistant's questions about profiles. It is a server of the Model Context
// Protocol on standard input and output (modelcontextprotocol.io, versions 2024-11-05 to
// 2026-07-28).
//
// It reads only profiles below the folders on its command line, writes no file and opens no socket.
// Answers are JSON in ASCII. Names in a profile are treated as data and never as instructions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> McpOptionSpecs();
std::string McpHelp();
int RunMcp(const std::vector<std::string>& args);  // returns 0 at the end of input, or 2

}  // namespace gprofx
