// Hundreds of classes, each instantiated from templates: the slow file of this build.
#include <tuple>
#include <utility>

template <int N>
struct Value {
  int get(int x) const { return Value<N - 1>().get(x) * 31 + N % (x + 7); }
};
template <>
struct Value<0> {
  int get(int x) const { return x; }
};

template <int... I>
int Sum(int x, std::integer_sequence<int, I...>) {
  return (0 + ... + std::get<0>(std::make_tuple(Value<I % 400>().get(x), I, Value<I % 300>())));
}

int heavy(int x) { return Sum(x, std::make_integer_sequence<int, 500>()); }
