// Errors as values. A Result<T> holds either a T or an Error that says what failed and what the
// user can do about it, with the id of its class. Value semantics, no threads, does not
// itself throw. Accessing the wrong alternative is a programming error and aborts.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "core/base/error_id.h"

namespace gprofx {

// Has an id from the place that makes it: there is no Error without one.
struct Error {
  ErrorId id;
  std::string what;  // one line: the problem, with the name of the thing
  std::string fix;   // one line: what to do about it; may be empty

  Error(ErrorId of, std::string problem, std::string way_out = "")
      : id(of), what(std::move(problem)), fix(std::move(way_out)) {}

  // Returns "what; fix".
  std::string Text() const { return fix.empty() ? what : what + "; " + fix; }
  // Returns " [GX-0205]", to append to a line that says more than the error.
  std::string IdMark() const { return " [" + IdText(id) + "]"; }
  // Returns "what; fix [GX-0205]", as printed for users.
  std::string TextWithId() const { return Text() + IdMark(); }
};

// Names the file that the error is about, if its text does not.
inline Error InFile(const std::string& path, Error error) {
  if (error.what.find(path) == std::string::npos) error.what = path + ": " + error.what;
  return error;
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() { return Get(); }
  const T& operator*() const { return const_cast<Result*>(this)->Get(); }
  T* operator->() { return &Get(); }
  const T* operator->() const { return &const_cast<Result*>(this)->Get(); }
  const Error& error() const {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }

 private:
  T& Get() {
    if (!ok()) std::abort();
    return *std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;
inline Status Ok() { return Done{}; }

}  // namespace gprofx
