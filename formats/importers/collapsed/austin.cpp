#include "formats/importers/collapsed/austin.h"

#include "core/base/text.h"
#include "formats/importers/collapsed/stack_line.h"

namespace gprofx::importers {
namespace {

std::string_view TakeFrame(std::string_view& stack) {
  const size_t end = std::min(stack.find(';'), stack.size());
  const std::string_view frame = stack.substr(0, end);
  stack.remove_prefix(std::min(end + 1, stack.size()));
  return frame;
}

bool IsProcess(std::string_view frame) {
  return frame.starts_with('P') && IsDigits(frame.substr(1));
}

// True for the name of a thread, such as "T7", "T0:7" or "T0x7f01:0".
bool IsThread(std::string_view frame) {
  return frame.size() > 1 && frame.starts_with('T') && IsAsciiDigit(frame[1]) &&
         frame.find_first_not_of("0123456789abcdefx:", 1) == std::string_view::npos;
}

bool IsAustinStack(std::string_view stack) {
  if (!IsProcess(TakeFrame(stack)) || !IsThread(TakeFrame(stack))) return false;
  const std::string_view first = TakeFrame(stack);
  return first.empty() || Contains(first, ":");
}

}  // namespace

void AustinDetector::Take(std::string_view text) {
  if (decided()) return;
  if (text.starts_with("# austin: ")) {
    has_header_ = true;
  } else if (const auto line = ParseStackLine(text); line && !IsStackComment(text)) {
    (IsAustinStack(line->stack) ? has_stacks_ : has_others_) = true;
  }
}

}  // namespace gprofx::importers
