// Outputs of gprof-x top: a screen with keys, or text or JSON on standard output.
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
  virtual int input() const { return -1; }  // descriptor; readable = call Keys()
  virtual void Show(const Snapshot& snapshot) = 0;
  virtual void Keys() {}
  virtual void End() {}
  // True if the output is redrawn, so that an interval may be shown again, such as with more names.
  virtual bool is_live() const { return false; }

  TopScreen screen;
  bool unwritten = false;  // output failed, other than by a closed pipe
};

inline constexpr size_t kTextRows = 12, kJsonRows = 50;

std::unique_ptr<TopFace> MakeTextFace(TopScreen begin);
// Prints each interval as a JSON document: indented for people, or on one line.
std::unique_ptr<TopFace> MakeJsonFace(TopScreen begin, bool indented);
std::unique_ptr<TopFace> MakeScreenFace(TopScreen begin);

}  // namespace gprofx
