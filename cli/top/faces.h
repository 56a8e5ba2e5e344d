// Declares the outputs of gprof-x top: a screen with keys, or text or JSON on standard output.
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
  // Descriptor to wait for; -1 = none. Keys() must be called when it is readable.
  virtual int input() const { return -1; }
  virtual void Show(const Snapshot& snapshot) = 0;
  virtual void Keys() {}
  virtual void End() {}
  // True if the output is a screen that is redrawn. Show() may then be called again for the same
  // interval, for example after more symbol names are known.
  virtual bool is_live() const { return false; }

  TopScreen screen;
  bool unwritten = false;  // writing failed for another reason than a closed pipe
};

inline constexpr size_t kTextRows = 12, kJsonRows = 50;

std::unique_ptr<TopFace> MakeTextFace(TopScreen begin);
// Makes an output that prints each interval as a JSON document: indented for people to read, or on
// one line.
std::unique_ptr<TopFace> MakeJsonFace(TopScreen begin, bool indented);
std::unique_ptr<TopFace> MakeScreenFace(TopScreen begin);

}  // namespace gprofx
