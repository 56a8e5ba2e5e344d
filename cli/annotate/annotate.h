// gprof-x annotate: where inside of a GPU kernel its PC samples lie: source lines and instructions.
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
  bool lines = true;            // source lines
  bool instructions = true;     // with SASS where it is known, else offsets
  std::optional<size_t> limit;  // rows of each table; nothing = what suits the screen
  bool wide = false;
  bool json = false;
  bool redact = false;  // names that could be the user's own are hashes, sources left out
};

struct AnnotateSurroundings {
  Screen screen;
  std::string file = "profile.gprofx";
  std::string no_sass;  // why there is no disassembly; "" = there is, or nobody asked
};

std::string RenderAnnotate(const Annotation& annotation, const AnnotateOptions& options,
                           const AnnotateSurroundings& around);
std::string AnnotateText(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around);
std::string AnnotateJson(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around);

std::span<const OptionSpec> AnnotateOptionSpecs();
std::string AnnotateHelp();

// What the operands and options mean; the error is one line.
struct AnnotateCommand {
  AnnotateOptions options;
  std::string kernel;
  std::string file = "profile.gprofx";
  ColorWhen color = ColorWhen::kAuto;
  bool help = false;
  bool pager = true;  // where the text is longer than the terminal
};
Result<AnnotateCommand> ParseAnnotate(const std::vector<std::string>& args);

struct Annotated {
  Annotation annotation;
  std::string no_sass;  // why there is no disassembly
};
// Reads the kernel that is meant. Blocking. `disassemble`: runs nvdisasm, with a file for it.
Result<Annotated> ReadAnnotated(const AnnotateCommand& command, bool disassemble);

int RunAnnotate(const std::vector<std::string>& args);  // exit status: 0, or 2 with one line

}  // namespace gprofx
