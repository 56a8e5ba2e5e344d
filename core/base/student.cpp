#include "core/base/student.h"

#include <boost/math/distributions/students_t.hpp>

namespace gprofx {

double StudentQuantile975(double degrees) {
  // Without long double, which takes ten times as long for digits that nobody sees.
  using boost::math::policies::policy;
  using boost::math::policies::promote_double;
  using Student = boost::math::students_t_distribution<double, policy<promote_double<false>>>;
  return quantile(Student(degrees), 0.975);
}

}  // namespace gprofx
