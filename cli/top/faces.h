// Where gprof-x top shows its intervals: a screen with keys, text or JSON on standard output.
#pragma once

#include <cstddef>
#include <memory>

#include "cli/top/keys.h"
#include "cli/top/snapshot.h"
#include "core/base/result.h"

namespace gprofx {

class TopFace {
 public:
  explicit TopFace(TopScreen begin) : screen(std::move(begin)) {}
  virtual ~TopFace() = default;

  virtual Status Begin() { return Ok(); }
  virtual int input() const { return -1; }  // readable: Keys() has something to do
  virtual void Show(const Snapshot& snapshot) = 0;
  virtual void Keys() {}
  virtual void End() {}
  // It shows one state that changes, so that a better version of an interval may follow.
  virtual bool is_live() const { return false; }

  TopScreen screen;
  bool unwritten = false;  // what it shows, and not for want of a reader
};

inline constexpr size_t kTextRows = 12, kJsonRows = 50;

std::unique_ptr<TopFace> MakeTextFace(TopScreen begin);
// `indented`: one document for people, else one a line.
std::unique_ptr<TopFace> MakeJsonFace(TopScreen begin, bool indented);
std::unique_ptr<TopFace> MakeScreenFace(TopScreen begin);

}  // namespace gprofx
