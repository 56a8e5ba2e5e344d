// Errors as values. A Result<T> holds either a T or an Error that says what failed and what the
// user can do about it. Value semantics, no threads, does not itself throw. Accessing the wrong
// alternative is a programming error and aborts.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace gprofx {

struct Error {
  std::string what;  // one line: the problem, with the name of the thing
  std::string fix;   // one line: what to do about it; may be empty

  // "what; fix", as printed for users.
  std::string Text() const { return fix.empty() ? what : what + "; " + fix; }
};

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
