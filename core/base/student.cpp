#include "core/base/student.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/base/in_double.h"

namespace gprofx {

using Student = boost::math::students_t_distribution<double, InDouble>;

double StudentQuantile(double degrees, double p) { return quantile(Student(degrees), p); }

double StudentAbove(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return cdf(complement(Student(degrees), t));
}

}  // namespace gprofx
