// Writes the markers of this process to the marker stream, and keeps track of the open ranges of
// each thread.
//
// A fork child has its own region, which is found when it writes its first marker. If the child is
// not recorded, its markers are discarded. If a thread names very many ranges of a domain
// (frequency.h), some are left out and counted: those that begin while GPU records are off to keep
// within the overhead budget. Any thread; no lock, no allocation except one mapping per process.
#pragma once

#include <cstdint>

#include "samplers/nvtx/texts.h"
#include "samplers/wire/markers.h"

namespace gprofx::nvtx {

// Joins the recording through the agent. Returns false if there is none, or if it cannot be
// reached.
bool JoinRecording();

constexpr uint64_t kNoRange = 0;

struct Opened {
  uint16_t depth;  // kNoDepth if the depth in this domain is not counted
  bool recorded;   // false if the range is left out
};
Opened OpenPushed(const Kept* domain);  // begins a nested range of the calling thread
// True if a range or moment that does not nest must be left out.
bool LeavesOut(const Kept* domain);
void WritePush(const Kept* domain, uint16_t depth, Text name);
uint64_t WriteStart(const Kept* domain, Text name);  // returns the number that the range got
void WriteMoment(const Kept* domain, Text name);

// Begins a nested range. `name` is a function that returns the range's Text. It is not called if
// the range is left out.
template <class Name>
void Push(const Kept* domain, Name name) {
  if (const Opened opened = OpenPushed(domain); opened.recorded)
    WritePush(domain, opened.depth, name());
}
template <class Name>
uint64_t Start(const Kept* domain, Name name) {
  return LeavesOut(domain) ? kNoRange : WriteStart(domain, name());
}
template <class Name>
void Moment(const Kept* domain, Name name) {
  if (!LeavesOut(domain)) WriteMoment(domain, name());
}
void Pop(const Kept* domain);
void End(uint64_t range);
const Kept* NewDomain(Text name);

}  // namespace gprofx::nvtx
