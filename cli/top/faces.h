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
  // True if it shows one state that is updated, so a later version of an interval may replace it.
  virtual bool is_live() const { return false; }

  TopScreen screen;
  bool unwritten = false;  // output failed, other than by a closed pipe
};

inline constexpr size_t kTextRows = 12, kJsonRows = 50;

std::unique_ptr<TopFace> MakeTextFace(TopScreen begin);
// `indented`: one document for people, else one per line.
std::unique_ptr<TopFace> MakeJsonFace(TopScreen begin, bool indented);
std::unique_ptr<TopFace> MakeScreenFace(TopScreen begin);

}  // namespace gprofx
