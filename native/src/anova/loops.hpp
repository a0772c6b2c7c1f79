// The inner loop of the ANOVA kernel, compiled once per instruction set.
#pragma once

#include "parzen/anova.hpp"

namespace parzen {

inline constexpr std::size_t anova_tile = 24;  // points of one tile: a whole number of steps for every instruction set

struct AnovaLoops {
    // One query against a tile of points: points and centres are [columns][anova_tile], out is [anova_tile].
    void (*row)(const AnovaForm& form, const double* query, const double* query_centres, const double* points,
                const double* centres, double* out);
};

}  // namespace parzen
