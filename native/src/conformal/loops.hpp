// The inner loop of the counting pass, compiled once per instruction set.
#pragma once

#include <cstddef>

#include "parzen/kernel.hpp"

namespace parzen {

// Arrays are padded with weights of 0 to a multiple of this many entries: three of the widest vectors.
inline constexpr std::size_t conformal_lanes = 24;

struct ConformalRows {
    const double* factors;
    const double* shifts;
    const double* slopes;
    const double* weights;
};

struct ConformalLoops {
    // The weight of the rows with k(u) factor + shift <= exp(level + slope). `count` is a multiple of
    // conformal_lanes; u is overwritten where the kernel needs the root of it.
    double (*count)(const Kernel& kernel, double scale, double* u, const ConformalRows& rows, std::size_t count,
                    double level);
};

}  // namespace parzen
