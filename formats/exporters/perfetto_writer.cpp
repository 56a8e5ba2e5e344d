// Implements perfetto_writer.h. Field numbers are from Perfetto's protos/perfetto/trace/*.proto.
#include "formats/exporters/perfetto_writer.h"

#include <algorithm>

#include "formats/exporters/protobuf.h"
#include "formats/exporters/text.h"

namespace gprofx::exporters::perfetto {
namespace {

namespace pb = protobuf;

constexpr uint64_t kSequence = 1;
constexpr uint32_t kTracePacket = 1;  // Trace.packet

enum TracePacket : uint32_t {
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
enum SequenceFlags : uint64_t { kStateCleared = 1, kNeedsState = 2 };
enum TrackDescriptor : uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5
};
enum TrackEvent : uint32_t {
  kAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kFlowIds = 47,
  kCallstackIid = 56,
  kCallstackWeight = 57,
};
enum Annotation : uint32_t { kAnnotationNameIid = 1, kAnnotationTextIid = 17 };
enum InternedData : uint32_t {
  kEventNames = 2,
  kAnnotationNames = 3,
  kFunctionNames = 5,
  kFrames = 6,
  kCallstacks = 7,
  kMappingPaths = 17,
  kSourcePaths = 18,
  kMappings = 19,
  kAnnotationTexts = 29,
};
enum Frame : uint32_t { kFunctionId = 2, kMappingId = 3, kSourceIid = 5, kLineNumber = 6 };

std::string Utf8(std::string_view text) {
  std::string out;
  AppendUtf8(out, text);
  return out;
}

}  // namespace

Writer::Writer(ByteSink& sink, const Stacks& stacks)
    : sink_(sink),
      stacks_(stacks),
      frames_(stacks.calls().size()),
      callstacks_(stacks.stacks().size()) {}

void Writer::Packet(std::string_view body) {
  std::string& out = sink_.text();
  std::string head;
  pb::Number(head, kSequenceId, kSequence);
  pb::Number(head, kSequenceFlags, first_ ? kStateCleared : kNeedsState);
  if (!interned_.empty()) pb::Bytes(head, kInternedData, interned_);
  interned_.clear();
  first_ = false;
  pb::Tag(out, kTracePacket, pb::kBytes);
  PutVarint(out, head.size() + body.size());
  out += head;
  out += body;
  sink_.Step();
}

void Writer::ProcessTrack(uint64_t track, int64_t pid, std::string_view name,
                          std::string_view command) {
  std::string process, descriptor, body;
  pb::Signed(process, 1, pid);
  if (!command.empty()) pb::Bytes(process, 2, Utf8(command));
  pb::Bytes(process, 6, Utf8(name));
  pb::Number(descriptor, kUuid, track);
  pb::Bytes(descriptor, kProcess, process);
  pb::Bytes(body, kTrackDescriptor, descriptor);
  Packet(body);
}

void Writer::ThreadTrack(uint64_t track, uint64_t parent, int64_t pid, int64_t tid,
                         std::string_view name) {
  std::string thread, descriptor, body;
  pb::Signed(thread, 1, pid);
  pb::Signed(thread, 2, tid);
  pb::Bytes(thread, 5, Utf8(name));
  pb::Number(descriptor, kUuid, track);
  pb::Number(descriptor, kParent, parent);
  pb::Bytes(descriptor, kThread, thread);
  pb::Bytes(body, kTrackDescriptor, descriptor);
  Packet(body);
}

void Writer::Track(uint64_t track, uint64_t parent, std::string_view name) {
  std::string descriptor, body;
  pb::Number(descriptor, kUuid, track);
  pb::Bytes(descriptor, kTrackName, Utf8(name));
  if (parent != 0) pb::Number(descriptor, kParent, parent);
  pb::Bytes(body, kTrackDescriptor, descriptor);
  Packet(body);
}

void Writer::Put(const Event& event, Type type, const std::vector<Note>& notes) {
  event_.clear();
  pb::Number(event_, kType, type);
  pb::Number(event_, kTrackUuid, event.track);
  if (event.name != 0) pb::Number(event_, kNameIid, event.name);
  if (event.stack != 0) {
    pb::Number(event_, kCallstackIid, InternStack(event.stack));
    pb::Double(event_, kCallstackWeight, static_cast<double>(event.weight));
  }
  if (event.flow != 0) pb::Fixed64(event_, kFlowIds, event.flow);
  for (const Note& note : notes) {
    std::string annotation;
    pb::Number(annotation, kAnnotationNameIid, note.name);
    pb::Number(annotation, kAnnotationTextIid, note.text);
    pb::Bytes(event_, kAnnotations, annotation);
  }
  body_.clear();
  pb::Number(body_, kTimestamp, static_cast<uint64_t>(std::max<HostNs>(event.time, 0)));
  pb::Bytes(body_, kTrackEvent, event_);
  Packet(body_);
}

void Writer::End(HostNs time, uint64_t track) {
  Event event;
  event.time = time;
  event.track = track;
  Put(event, kEnd, {});
}

uint64_t Writer::Name(std::string_view name) { return Intern(names_, kEventNames, name); }
uint64_t Writer::Key(std::string_view name) { return Intern(keys_, kAnnotationNames, name); }
uint64_t Writer::Text(std::string_view text) { return Intern(texts_, kAnnotationTexts, text); }

// Returns the id of `text` in `index`. If it is new, defines it in the next packet, in `field` of
// InternedData. The messages EventName, DebugAnnotationName and InternedString all have the same
// fields for id and text.
uint64_t Writer::Intern(Index& index, uint32_t field, std::string_view text) {
  const auto [found, made] = index.try_emplace(std::string(text), index.size() + 1);
  if (made) {
    std::string entry;
    pb::Number(entry, 1, found->second);
    pb::Bytes(entry, 2, Utf8(text));
    pb::Bytes(interned_, field, entry);
  }
  return found->second;
}

uint64_t Writer::InternFrame(uint32_t call) {
  if (!frames_[call]) {
    frames_[call] = true;
    const Stacks::Call& place = stacks_.calls()[call];
    const Stacks::Function& function = stacks_.functions()[place.function];
    std::string frame;
    pb::Number(frame, 1, call + 1);
    pb::Number(frame, kFunctionId, Intern(functions_, kFunctionNames, stacks_.Name(function)));
    if (const std::string_view module = stacks_.Module(function); !module.empty()) {
      const bool known = mappings_.contains(std::string(module));
      const uint64_t path = Intern(mappings_, kMappingPaths, module);
      if (!known) {
        std::string mapping;
        pb::Number(mapping, 1, path);
        pb::Number(mapping, 7, path);
        pb::Bytes(interned_, kMappings, mapping);
      }
      pb::Number(frame, kMappingId, path);
    }
    if (const std::string_view file = stacks_.File(place); !file.empty()) {
      pb::Number(frame, kSourceIid, Intern(files_, kSourcePaths, file));
    }
    if (const uint32_t line = stacks_.Line(place)) pb::Number(frame, kLineNumber, line);
    pb::Bytes(interned_, kFrames, frame);
  }
  return call + 1;
}

// Returns the id of a call stack, and defines it if it is new. Its frames are listed from the
// outermost on.
uint64_t Writer::InternStack(uint32_t stack) {
  if (!callstacks_[stack]) {
    callstacks_[stack] = true;
    stacks_.Path(stack, path_);
    std::string entry;
    pb::Number(entry, 1, stack);
    for (auto call = path_.rbegin(); call != path_.rend(); ++call) {
      pb::Number(entry, 2, InternFrame(*call));
    }
    pb::Bytes(interned_, kCallstacks, entry);
  }
  return stack;
}

}  // namespace gprofx::exporters::perfetto
