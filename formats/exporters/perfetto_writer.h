// Writes packets of a Perfetto trace, https://perfetto.dev/docs/reference/trace-packet-proto:
// tracks, slices, instant events, and the interned data that they refer to.
//
// All packets are in one sequence. The first packet that uses a name, frame or call stack defines
// it. Memory therefore grows with the number of distinct names, frames and call stacks, and not
// with the number of events. The caller chooses track numbers, which must be above 0. Times are
// HostNs; the trace contains none below 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/exporters/byte_sink.h"
#include "formats/exporters/stacks.h"

namespace gprofx::exporters::perfetto {

class Writer {
 public:
  Writer(ByteSink& sink, const Stacks& stacks);

  void ProcessTrack(uint64_t track, int64_t pid, std::string_view name, std::string_view command);
  void ThreadTrack(uint64_t track, uint64_t parent, int64_t pid, int64_t tid,
                   std::string_view name);
  void Track(uint64_t track, uint64_t parent, std::string_view name);  // parent 0 = no parent

  struct Event {
    HostNs time = 0;
    uint64_t track = 0;
    uint64_t name = 0;   // id from Name()
    uint32_t stack = 0;  // 0 = none
    int64_t weight = 0;  // weight of the stack
    uint64_t flow = 0;   // id that connects events by an arrow; 0 = none
  };
  // A detail that the viewer shows. `name` comes from Key(), `text` from Text().
  struct Note {
    uint64_t name = 0, text = 0;
  };
  void Instant(const Event& event) { Put(event, kInstant, {}); }
  void Begin(const Event& event, const std::vector<Note>& notes) { Put(event, kBegin, notes); }
  void End(HostNs time, uint64_t track);

  uint64_t Name(std::string_view name);  // returns the id of the name of an event
  uint64_t Key(std::string_view name);   // returns the id of the name of a note
  uint64_t Text(std::string_view text);  // returns the id of the text of a note

 private:
  enum Type : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3 };
  using Index = std::unordered_map<std::string, uint64_t>;

  void Put(const Event& event, Type type, const std::vector<Note>& notes);
  void Packet(std::string_view body);
  uint64_t Intern(Index& index, uint32_t field, std::string_view text);
  uint64_t InternStack(uint32_t stack);
  uint64_t InternFrame(uint32_t call);

  ByteSink& sink_;
  const Stacks& stacks_;
  bool first_ = true;
  std::string interned_;  // InternedData that the next packet will contain
  std::string body_, event_;
  Index names_, keys_, texts_, mappings_, functions_, files_;
  std::vector<bool> frames_, callstacks_;  // by index: already defined in the trace
  std::vector<uint32_t> path_;
};

}  // namespace gprofx::exporters::perfetto
