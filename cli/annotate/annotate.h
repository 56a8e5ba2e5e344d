// gprof-x annotate: shows the PC samples of a GPU kernel by source line and instruction.
//
// RenderAnnotate is pure: annotation and options in, text out. RunAnnotate is the command around
// it.
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
  bool instructions = true;     // with SASS (machine code) if known, else offsets
  std::optional<size_t> limit;  // rows of each table; unset = fit the screen
  bool wide = false;
  bool json = false;
  bool redact = false;  // hash names that could be the user's own; omit sources
};

struct AnnotateSurroundings {
  Screen screen;
  std::string file = "profile.gprofx";
  std::string no_sass;  // why there is no disassembly; "" = there is one, or it was not requested
};

std::string RenderAnnotate(const Annotation& annotation, const AnnotateOptions& options,
                           const AnnotateSurroundings& around);
std::string AnnotateText(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around);
std::string AnnotateJson(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around);

std::span<const OptionSpec> AnnotateOptionSpecs();
std::string AnnotateHelp();

// The operands and options, as ParseAnnotate returns them. Its errors are one line.
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
  std::string no_sass;  // why there is no disassembly; "" = there is one
};
// Reads the selected kernel. Blocking. If `disassemble`, runs nvdisasm on a temporary file.
Result<Annotated> ReadAnnotated(const AnnotateCommand& command, bool disassemble);

int RunAnnotate(const std::vector<std::string>& args);  // returns 0, or 2 after one line on stderr

}  // namespace gprofx
