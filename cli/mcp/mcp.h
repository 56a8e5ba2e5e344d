// gprof-x mcp: answers assistants about profiles, as a server of the Model Context Protocol on
// standard input and output (modelcontextprotocol.io, versions 2024-11-05 to 2026-07-28).
//
// It reads profiles below the folders on its command line and nothing else, writes no file and
// opens no socket. What a program calls itself is data: answers are JSON in ASCII.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> McpOptionSpecs();
std::string McpHelp();
int RunMcp(const std::vector<std::string>& args);  // 0 at the end of its input, or 2

}  // namespace gprofx
