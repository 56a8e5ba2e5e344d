// gprof-x annotate: shows the PC samples of a GPU kernel by source line and by instruction.
//
// RenderAnnotate() is pure and turns an annotation into text. RunAnnotate() is the command.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"

namespace gprofx {

struct AnnotateOptions {
  bool lines = true;
  // Whether to show instructions: as SASS (machine code) if that is known, otherwise as offsets.
  bool instructions = true;
  std::optional<size_t> limit;  // max rows of each table; nullopt = as many as fit the screen
  bool wide = false;
  bool json = false;
  bool redact = false;  // hash names that may be the user's own, and omit source text
};

struct AnnotateSurroundings {
  Screen screen;
  std::string file = "profile.gprofx";
  std::string no_sass;  // why there is no disassembly; "" if there is one or none was requested
};

std::string RenderAnnotate(const Annotation& annotation, const AnnotateOptions& options,
                           const AnnotateSurroundings& around);
std::string AnnotateText(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around);
std::string AnnotateJson(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around);

std::span<const OptionSpec> AnnotateOptionSpecs();
std::string AnnotateHelp();

// The parsed command line. Errors of ParseAnnotate() are one line.
struct AnnotateCommand {
  AnnotateOptions options;
  std::string kernel;
  std::string file = "profile.gprofx";
  ColorWhen color = ColorWhen::kAuto;
  bool help = false;
  bool pager = true;  // use a pager if the text is longer than the terminal
};
Result<AnnotateCommand> ParseAnnotate(const std::vector<std::string>& args);

struct Annotated {
  Annotation annotation;
  std::string no_sass;  // why there is no disassembly; "" if there is one
};
// Reads the selected kernel. If `disassemble` is set, runs nvdisasm on a temporary file. Blocking.
Result<Annotated> ReadAnnotated(const AnnotateCommand& command, bool disassemble);

int RunAnnotate(const std::vector<std::string>& args);  // returns 0, or 2 after one line on stderr

}  // namespace gprofx
