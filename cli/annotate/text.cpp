#include <algorithm>

#include "cli/annotate/annotate.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/views/naming/names.h"
#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

constexpr size_t kUsualLines = 20, kUsualInstructions = 100;
constexpr size_t kLeadingStalls = 2, kStallsOfHead = 4;
constexpr int kLongestStall = 40, kWideColumns = 10'000;
constexpr size_t kGap = 4;  // a longer run of instructions without samples is collapsed

std::string Share(int64_t part, int64_t whole) {
  return Percent(static_cast<double>(part), static_cast<double>(whole));
}

std::string Stalls(const StallCounts& counts, size_t most, bool with_shares) {
  std::string text;
  for (const auto& [name, count] : counts.Leading(most)) {
    if (!text.empty()) text += ", ";
    text += Printable(name);
    if (with_shares) text += " " + Share(count, counts.samples);
  }
  return text;
}

std::string Place(const std::string& file, uint32_t line, bool wide) {
  if (file.empty()) return "[no line]";
  return Printable(wide ? std::string_view(file) : ShortFile(file)) + ":" + std::to_string(line);
}

// Shortens a text of two names, separated by a comma, so that both stay readable. Each name gets
// half of the space, plus the space that the other does not need.
std::string ShortenStalls(std::string_view text, int columns) {
  const size_t comma = text.find(", ");
  if (comma == std::string_view::npos) return FitEnd(text, columns);
  const std::string_view first = text.substr(0, comma), second = text.substr(comma + 2);
  const int room = columns - 2;
  const int of_first = std::min(Columns(first), std::max(room / 2, room - Columns(second)));
  return FitEnd(first, of_first) + ", " + FitEnd(second, room - of_first);
}

std::string Count(size_t count, const std::string& one, const std::string& many) {
  return Grouped(static_cast<int64_t>(count)) + " more " + (count == 1 ? one : many);
}

// Returns the call sites of inlined code, innermost first: "lines.cu:8 Middle < lines.cu:13 Outer".
std::string CallSites(const std::vector<CubinLine>& places, bool wide) {
  std::string text;
  for (size_t i = places.size(); i-- > 0;) {
    if (!text.empty()) text += " < ";
    const std::string name = Printable(Demangle(places[i].function));
    text += Place(places[i].file, places[i].line, wide) + " " + ShortenName(name, 40);
  }
  return text;
}

std::vector<std::string> CountCells(const StallCounts& counts, int64_t whole, bool wide) {
  return {Grouped(counts.samples), Share(counts.samples, whole),
          Share(counts.latency, counts.samples), Stalls(counts, kLeadingStalls, wide)};
}

std::vector<Column> CountColumns() {
  return {{"samples", Align::kRight},
          {"%kernel", Align::kRight},
          {"latency", Align::kRight},
          {"stalls", Align::kLeft, 3, &ShortenStalls}};
}

std::string Rest(const std::string& what, int64_t samples, int64_t whole) {
  return "... " + what + ", together " + Share(samples, whole) + "; --limit N shows more\n";
}

std::string Head(const Annotation& annotation, const AnnotateOptions& options,
                 const AnnotateSurroundings& around) {
  const StallCounts& counts = annotation.counts;
  const std::string name = Printable(annotation.kernel);
  const std::string shown = options.wide ? name : ShortenName(name, around.screen.columns);
  std::string out = Paint(around.screen, Ink::kBold, shown) + "\n";
  std::vector<std::string> parts = {Grouped(counts.samples) + " PC samples,",
                                    Share(counts.latency, counts.samples) + " of them latency",
                                    "(nothing was issued);", "stalls:"};
  const auto leading = counts.Leading(kStallsOfHead);
  for (const auto& [stall, count] : leading) {
    const char* end = &stall == &leading.back().first ? "" : ",";
    parts.push_back(FitEnd(Printable(stall), kLongestStall) + " " + Share(count, counts.samples) +
                    end);
  }
  const int columns = options.wide ? kWideColumns : around.screen.columns;
  return out + WrapParts(parts.data(), parts.size(), " ", columns, 2) + "\n";
}

// Returns the full paths of the source files, which the tables shorten. Files with the most samples
// come first.
std::string SourceFiles(const Annotation& annotation, const AnnotateOptions& options,
                        const AnnotateSurroundings& around) {
  constexpr size_t kMax = 5;
  std::vector<std::string> files;
  for (const AnnotatedLine& line : annotation.lines) {
    const bool known = std::find(files.begin(), files.end(), line.file) != files.end();
    if (!line.file.empty() && !known) files.push_back(line.file);
  }
  constexpr std::string_view kLead = "source: ";
  std::string out;
  const size_t shown = options.wide ? files.size() : std::min(files.size(), kMax);
  for (size_t i = 0; i < shown; ++i) {
    const std::string file = Printable(files[i]);
    const int room = around.screen.columns - static_cast<int>(kLead.size());
    out += (i == 0 ? std::string(kLead) : std::string(kLead.size(), ' ')) +
           (options.wide ? file : FitStart(file, room)) + "\n";
  }
  if (shown < files.size()) {
    out += std::string(kLead.size(), ' ') + "... " + Count(files.size() - shown, "file", "files") +
           "; --wide shows them\n";
  }
  return out;
}

std::string Lines(const Annotation& annotation, const AnnotateOptions& options,
                  const AnnotateSurroundings& around) {
  std::vector<Column> columns = CountColumns();
  columns.push_back({"line", Align::kLeft, 3, &FitStart});
  columns.push_back({"source", Align::kLeft, 4});
  if (options.wide) columns.push_back({"inlined at"});
  Table table(columns);
  const size_t shown = std::min(annotation.lines.size(), options.limit.value_or(kUsualLines));
  int64_t samples = 0;
  for (size_t i = 0; i < annotation.lines.size(); ++i) {
    const AnnotatedLine& line = annotation.lines[i];
    if (i >= shown) {
      samples += line.counts.samples;
      continue;
    }
    auto cells = CountCells(line.counts, annotation.counts.samples, options.wide);
    cells.push_back(Place(line.file, line.line, options.wide));
    const size_t begin = line.text.find_first_not_of(" \t");
    cells.push_back(begin == std::string::npos ? "" : Printable(line.text.substr(begin)));
    std::string sites;
    if (!line.inlined.empty()) sites = CallSites(line.inlined[0].places, options.wide);
    if (line.inlined.size() > 1) {
      sites += " and " + std::to_string(line.inlined.size() - 1) + " other places";
    }
    if (options.wide) cells.push_back(sites);
    table.Add(std::move(cells));
  }
  std::string out = "\n" + table.Render(around.screen, options.wide);
  if (shown < annotation.lines.size()) {
    out += Rest(Count(annotation.lines.size() - shown, "line", "lines"), samples,
                annotation.counts.samples);
  }
  return out;
}

std::string Hex(uint64_t value) { return HexText(value, 4); }

// Selects the instructions to show. With a limit, these are the ones with the most samples. Without
// one, they are all instructions with samples and those in small gaps between them.
std::vector<bool> Shown(const std::vector<AnnotatedInstruction>& instructions, size_t limit) {
  std::vector<size_t> sampled;
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].counts.samples > 0) sampled.push_back(i);
  }
  std::stable_sort(sampled.begin(), sampled.end(), [&](size_t a, size_t b) {
    return instructions[a].counts.samples > instructions[b].counts.samples;
  });
  sampled.resize(std::min(sampled.size(), limit));
  std::sort(sampled.begin(), sampled.end());
  std::vector<bool> shown(instructions.size());
  for (size_t i = 0; i < sampled.size(); ++i) {
    shown[sampled[i]] = true;
    if (i == 0 || sampled[i] - sampled[i - 1] > kGap + 1) continue;
    std::fill(shown.begin() + static_cast<ptrdiff_t>(sampled[i - 1]),
              shown.begin() + static_cast<ptrdiff_t>(sampled[i]), true);
  }
  return shown;
}

std::vector<std::string> InstructionCells(const AnnotatedInstruction& instruction, int64_t whole,
                                          bool wide) {
  std::vector<std::string> cells(4);
  if (instruction.counts.samples > 0) cells = CountCells(instruction.counts, whole, wide);
  const std::string gap = instruction.text.empty() ? "" : "  ";
  cells.push_back(Hex(instruction.offset) + gap + Printable(instruction.text));
  std::string place;
  if (!instruction.places.empty()) {
    const CubinLine& innermost = instruction.places.back();
    place = Place(innermost.file, innermost.line, wide);
    if (wide && instruction.places.size() > 1) {
      const std::vector<CubinLine> outer(instruction.places.begin(), instruction.places.end() - 1);
      place += " inlined at " + CallSites(outer, wide);
    }
  } else if (!instruction.function.empty()) {
    place = Printable(instruction.function);
  }
  cells.push_back(place);
  return cells;
}

std::string ModuleTitle(const AnnotatedModule& module, const AnnotateSurroundings& around,
                        int columns) {
  std::string title = module.has_sass ? "SASS" : "instructions by offset";
  if (module.architecture != 0) title += " (sm_" + std::to_string(module.architecture) + ")";
  std::string why;
  if (!module.has_code) {
    why = "the recording does not contain the code of this kernel";
  } else if (!module.has_sass) {
    why = around.no_sass;
  }
  if (why.empty()) return title + "\n";
  const std::string parts[] = {title + ":", FitEnd(Printable(why), columns - 2)};
  return WrapParts(parts, 2, " ", columns, 2) + "\n";
}

std::string Instructions(const AnnotatedModule& module, const Annotation& annotation,
                         const AnnotateOptions& options, const AnnotateSurroundings& around) {
  std::vector<Column> columns = CountColumns();
  columns.push_back({module.has_sass ? "instruction" : "offset", Align::kLeft, 4});
  columns.push_back({"line", Align::kLeft, 3, &FitStart});
  Table table(columns);
  const std::vector<bool> shown =
      Shown(module.instructions, options.limit.value_or(kUsualInstructions));
  int64_t left_out_samples = 0;
  size_t left_out = 0, gap = 0;
  const auto end_gap = [&] {
    if (gap > 0) {
      table.Add({"", "", "", "", "...   (" + std::to_string(gap) + " not shown)"});
    }
    gap = 0;
  };
  for (size_t i = 0; i < shown.size(); ++i) {
    const AnnotatedInstruction& instruction = module.instructions[i];
    if (shown[i]) {
      end_gap();
      table.Add(InstructionCells(instruction, annotation.counts.samples, options.wide));
      continue;
    }
    ++gap;
    if (instruction.counts.samples == 0) continue;
    ++left_out;
    left_out_samples += instruction.counts.samples;
  }
  end_gap();
  const int columns_of_title = options.wide ? kWideColumns : around.screen.columns;
  std::string out = "\n" + ModuleTitle(module, around, columns_of_title) +
                    table.Render(around.screen, options.wide);
  if (left_out > 0) {
    out += Rest(Count(left_out, "instruction with samples", "instructions with samples"),
                left_out_samples, annotation.counts.samples);
  }
  return out;
}

}  // namespace

std::string AnnotateText(const Annotation& annotation, const AnnotateOptions& options,
                         const AnnotateSurroundings& around) {
  std::string out = Head(annotation, options, around) + SourceFiles(annotation, options, around);
  const bool any_line = std::any_of(annotation.lines.begin(), annotation.lines.end(),
                                    [](const AnnotatedLine& line) { return !line.file.empty(); });
  if (options.lines && any_line) out += Lines(annotation, options, around);
  if (options.lines && !any_line) {
    out += "No source lines: the code has no line table (nvcc writes one with -lineinfo).\n";
  }
  if (!options.instructions || annotation.modules.empty()) return out;
  out += Instructions(annotation.modules[0], annotation, options, around);
  int64_t others = 0;
  for (size_t i = 1; i < annotation.modules.size(); ++i) {
    others += annotation.modules[i].counts.samples;
  }
  if (others > 0) {
    out += Count(annotation.modules.size() - 1, "module holds", "modules hold") +
           " this kernel, with " + Share(others, annotation.counts.samples) +
           " of its samples; --json has them all\n";
  }
  return out;
}

std::string RenderAnnotate(const Annotation& annotation, const AnnotateOptions& options,
                           const AnnotateSurroundings& around) {
  return options.json ? AnnotateJson(annotation, options, around)
                      : AnnotateText(annotation, options, around);
}

}  // namespace gprofx
