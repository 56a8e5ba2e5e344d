#include "formats/importers/json/firefox_paths.h"

#include "formats/importers/collapsed/frame_text.h"
#include "formats/importers/gather/limits.h"

namespace gprofx::importers::firefox {

Paths::Paths(const Tables& own, const Tables& shared, Profile& profile)
    : stacks_(own.stack_frame.empty() ? shared : own),
      frames_(own.frame_func.empty() ? shared : own),
      funcs_(own.func_name.empty() ? shared : own),
      sources_(shared),
      strings_(own.strings.empty() ? shared.strings : own.strings),
      profile_(profile),
      made_(stacks_.stack_frame.size()) {}

bool Paths::IsMissing(int64_t stack) const {
  return stack >= 0 && static_cast<size_t>(stack) < made_.size() &&
         !made_[static_cast<size_t>(stack)].node;
}

NodeId Paths::NodeOf(int64_t stack) {
  std::vector<size_t> missing;
  while (IsMissing(stack)) {
    missing.push_back(static_cast<size_t>(stack));
    const int64_t prefix = At(stacks_.stack_prefix, stack);
    stack = prefix < stack ? prefix : kNone;
  }
  const bool has_prefix = stack >= 0 && static_cast<size_t>(stack) < made_.size();
  Made last = has_prefix ? made_[static_cast<size_t>(stack)] : Made{profile_.root()};
  for (size_t i = missing.size(); i-- > 0;) {
    last = Below(last, At(stacks_.stack_frame, static_cast<int64_t>(missing[i])));
    made_[missing[i]] = last;
  }
  return last.node;
}

Paths::Made Paths::Below(const Made& prefix, int64_t frame) {
  if (prefix.depth >= kMaxDepth || profile_.nodes.size() >= kMaxNodes) {
    ++cut_frames_;
    return prefix;
  }
  return {profile_.Child(prefix.node, FrameOf(frame)), prefix.depth + 1};
}

std::string_view Paths::TextAt(int64_t index) const {
  const bool is_there = index >= 0 && static_cast<size_t>(index) < strings_.size();
  return is_there ? std::string_view(strings_[static_cast<size_t>(index)]) : "";
}

FrameId Paths::FrameOf(int64_t frame) {
  const int64_t func = At(frames_.frame_func, frame);
  const int64_t line = At(frames_.frame_line, frame);
  const int64_t source = At(funcs_.func_source, func);
  const std::string_view file =
      TextAt(source == kNone ? At(funcs_.func_file, func) : At(sources_.source_file, source));
  const std::string_view name = TextAt(At(funcs_.func_name, func));
  const bool has_line = line > 0 && line <= UINT32_MAX;
  return FrameOfParts(profile_, {name.empty() ? "[unknown frame]" : name, file,
                                 has_line ? static_cast<uint32_t>(line) : 0, IsPythonFile(file)});
}

}  // namespace gprofx::importers::firefox
