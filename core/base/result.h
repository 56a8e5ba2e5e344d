// Returns errors as values. A Result<T> holds either a T or an Error. The Error says what failed
// and what the user can do about it, and has the id of its class of errors. Value semantics; does
// not itself throw. Accessing the alternative that it does not hold is a programming error and
// aborts.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "core/base/error_id.h"

namespace gprofx {

// Describes a failure. The code that makes it must give it an id.
struct Error {
  ErrorId id;
  std::string what;  // one line: the problem, with the name of the thing
  std::string fix;   // one line: what to do about it; may be empty

  Error(ErrorId of, std::string problem, std::string way_out = "")
      : id(of), what(std::move(problem)), fix(std::move(way_out)) {}

  // Returns "what; fix".
  std::string Text() const { return fix.empty() ? what : what + "; " + fix; }
  // Returns " [GX-0205]". Append it to a line that has more text than this error.
  std::string IdMark() const { return " [" + IdText(id) + "]"; }
  // Returns "what; fix [GX-0205]", the form that users see.
  std::string TextWithId() const { return Text() + IdMark(); }
};

// Adds the path of the file to an error about it, unless the text already contains the path.
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
