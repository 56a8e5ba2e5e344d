// Defines the policy with which gprof-x calls Boost.Math. Pure.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace gprofx {

// Makes Boost compute in double. Its default is long double, which takes ten times as long for
// digits that nobody sees.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace gprofx
