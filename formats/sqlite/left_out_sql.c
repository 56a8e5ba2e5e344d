// SQL functions that no query of ours calls. SQLite has them in a table, and each brings libm's
// tables for several processors: 75 KB of the wheel, though distributions still ask for a few. NaN
// is NULL in SQL. What can be left out under its own name is in cli/left_out.cpp.
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
