// Replacements for mathematical SQL functions that no query of ours calls. They return NaN, which
// is NULL in SQL. SQLite refers to the real functions in a table, and each brings in tables of libm
// for several processors: 75 KB of the wheel. cli/left_out.cpp replaces the functions that can be
// replaced under their own names.
#include <math.h>

#define LEFT_OUT(name)                      \
  double gprofx_left_out_##name(double x) { \
    (void)x;                                \
    return NAN;                             \
  }

LEFT_OUT(acos)
LEFT_OUT(acosh)
LEFT_OUT(asin)
LEFT_OUT(asinh)
LEFT_OUT(atan)
LEFT_OUT(atanh)
LEFT_OUT(cos)
LEFT_OUT(cosh)
LEFT_OUT(sin)
LEFT_OUT(sinh)
LEFT_OUT(tan)
LEFT_OUT(tanh)

double gprofx_left_out_atan2(double y, double x) {
  (void)y;
  (void)x;
  return NAN;
}
