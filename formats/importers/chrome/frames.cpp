#include "formats/importers/chrome/frames.h"

#include "formats/importers/call_words.h"
#include "formats/importers/chrome/details.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxFrames = 65'536;  // maximum number of frames kept per category

}  // namespace

FrameId ChromeFrames::Of(const std::string& name, Category category) {
  auto& frames = frames_[static_cast<size_t>(category)];
  if (const auto found = frames.find(name); found != frames.end()) return found->second;
  const FrameId frame = Make(name, category);
  if (frames.size() < kMaxFrames) frames.emplace(name, frame);
  return frame;
}

FrameId ChromeFrames::Make(std::string_view name, Category category) {
  switch (category) {
    case Category::kPython:
      return Python(name);
    case Category::kCall: {
      const std::string_view call = WithoutVersion(name);
      return gather_.Frame(IsWaitingCall(call) ? FrameKind::kCudaApi : FrameKind::kNative, call);
    }
    case Category::kAnnotation:
      return gather_.Frame(FrameKind::kOperator, WithoutNumbers(name));
    default:
      return gather_.Frame(FrameKind::kOperator, name);
  }
}

// Returns the frame of a span of the category "python_function". The name of the span has one of
// the forms "file(line): function", "nn.Module: Linear_3" or "<built-in method mm of type object at
// 0x7f>".
FrameId ChromeFrames::Python(std::string_view name) {
  if (name.starts_with("nn.Module: ")) return gather_.Frame(FrameKind::kOperator, name);
  if (name.starts_with("<built-in")) {
    const size_t at = name.find(" at 0x");
    return gather_.Frame(FrameKind::kNative, at == std::string_view::npos
                                                 ? std::string(name)
                                                 : std::string(name.substr(0, at)) + ">");
  }
  const size_t close = name.find("): ");
  const size_t open = name.rfind('(', close);
  if (close == std::string_view::npos || open == std::string_view::npos || open == 0) {
    return gather_.Frame(FrameKind::kPython, name);
  }
  return gather_.Frame(FrameKind::kPython, name.substr(close + 3), name.substr(0, open),
                       NumberIn<uint32_t>(name.substr(open + 1, close - open - 1)));
}

}  // namespace gprofx::importers
