// How Boost.Math computes here. Pure.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace gprofx {

// Without long double, which takes ten times as long for digits that nobody sees.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace gprofx
