#include "cli/annotate/annotation.h"
#include "core/redact/name_redactor.h"
#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

void RedactPlaces(const NameRedactor& names, std::vector<CubinLine>& places) {
  for (CubinLine& place : places) {
    place.file = names.Path(place.file);
    if (!place.function.empty()) place.function = names.Kernel(Demangle(place.function));
  }
}

// Removes the name of a symbol, which follows a back quote, from an instruction: "CALL.REL
// `(my_function)".
void RedactSass(std::string& text) {
  const size_t symbol = text.find('`');
  if (symbol != std::string::npos) text = text.substr(0, symbol) + "...";
}

}  // namespace

void RedactNames(const NameRedactor& names, Annotation& annotation) {
  annotation.kernel = names.Kernel(annotation.kernel);
  for (AnnotatedModule& module : annotation.modules) {
    for (AnnotatedInstruction& instruction : module.instructions) {
      RedactSass(instruction.text);
      RedactPlaces(names, instruction.places);
      if (!instruction.function.empty()) {
        instruction.function = names.Kernel(Demangle(instruction.function));
      }
    }
  }
  for (AnnotatedLine& line : annotation.lines) {
    line.file = names.Path(line.file);
    line.text.clear();
    for (AnnotatedLine::Inlined& inlined : line.inlined) RedactPlaces(names, inlined.places);
  }
}

}  // namespace gprofx
