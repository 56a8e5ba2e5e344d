#include "cli/options/fields.h"

#include "cli/command.h"

namespace gprofx {
namespace {

// The value of an option that is given.
struct GivenValue {
  std::string option;  // "--limit"
  std::string text;
  size_t most;  // largest value of a number
};

Status ReadInto(bool* field, const GivenValue& /*given*/) {
  *field = true;
  return Ok();
}

Status ReadInto(TurnsOff off, const GivenValue& /*given*/) {
  *off.field = false;
  return Ok();
}

Status ReadInto(std::string* field, const GivenValue& given) {
  *field = given.text;
  return Ok();
}

Status ReadInto(size_t* field, const GivenValue& given) {
  const Result<size_t> number = ParseCount(given.option, given.text, given.most);
  if (!number) return number.error();
  *field = *number;
  return Ok();
}

Status ReadInto(ColorWhen* field, const GivenValue& given) {
  const std::optional<ColorWhen> color = ParseColorWhen(given.text);
  if (!color) return BadValue(given.option, "auto, always or never", given.text);
  *field = *color;
  return Ok();
}

Status ReadInto(CodeView* field, const GivenValue& given) {
  for (const CodeView code : {CodeView::kMixed, CodeView::kPython, CodeView::kNative}) {
    if (given.text != CodeName(code)) continue;
    *field = code;
    return Ok();
  }
  return BadValue(given.option, "mixed, python or native", given.text);
}

template <class T>
Status ReadInto(std::optional<T>* field, const GivenValue& given) {
  return ReadInto(&field->emplace(), given);
}

}  // namespace

Status ReadOptions(const ParsedOptions& parsed, std::initializer_list<OptionField> fields) {
  for (const OptionField& one : fields) {
    if (!parsed.Has(one.name)) continue;
    const GivenValue given{std::string("--") + one.name, ValueOf(parsed, one.name), one.most};
    const Status read = std::visit([&](auto field) { return ReadInto(field, given); }, one.field);
    if (!read) return read;
  }
  return Ok();
}

}  // namespace gprofx
