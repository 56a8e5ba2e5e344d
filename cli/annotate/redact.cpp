#include "cli/annotate/annotation.h"
#include "core/redact.h"
#include "symbolize/demangle.h"

namespace gprofx {
namespace {

void RedactPlaces(std::vector<CubinLine>& places) {
  for (CubinLine& place : places) {
    place.file = RedactPath(place.file);
    if (!place.function.empty()) place.function = RedactKernel(Demangle(place.function));
  }
}

// Names of symbols stand in back quotes: "CALL.REL `(my_function)".
void RedactSass(std::string& text) {
  const size_t symbol = text.find('`');
  if (symbol != std::string::npos) text = text.substr(0, symbol) + "...";
}

}  // namespace

void RedactNames(Annotation& annotation) {
  annotation.kernel = RedactKernel(annotation.kernel);
  for (AnnotatedModule& module : annotation.modules) {
    for (AnnotatedInstruction& instruction : module.instructions) {
      RedactSass(instruction.text);
      RedactPlaces(instruction.places);
      if (!instruction.function.empty()) {
        instruction.function = RedactKernel(Demangle(instruction.function));
      }
    }
  }
  for (AnnotatedLine& line : annotation.lines) {
    line.file = RedactPath(line.file);
    line.text.clear();
    for (AnnotatedLine::Inlined& inlined : line.inlined) RedactPlaces(inlined.places);
  }
}

}  // namespace gprofx
