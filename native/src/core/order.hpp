// An order of all numbers for sorting: NaN, which compares with nothing, comes last.
#pragma once

#include <cmath>
#include <cstddef>

namespace parzen {

// Whether value a at place i comes before value b at place j: ascending values, equal ones by place. Sorting by
// a plain `a < b` would read out of bounds where some of the values are NaN.
inline bool comes_before(double a, std::size_t i, double b, std::size_t j) {
    if (a < b || b < a) return a < b;
    if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
    return i < j;
}

}  // namespace parzen
