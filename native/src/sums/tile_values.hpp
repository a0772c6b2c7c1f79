// Kernel values at every bandwidth of a plan, a few vectors at a time, and weighted sums of them. Included
// by tile.cpp only: everything is private to one instruction set.
#pragma once

#include "core/formulas.hpp"
#include "core/vector.hpp"
#include "parzen/tile.hpp"

namespace {

using parzen::BandwidthPlan;

// Runs `use(values, step)` for every step of the plan, squaring along its chains.
template <class T, class Values, int width, class Use>
PARZEN_INLINE void for_each_step(const BandwidthPlan<T>& plan, T reference, const Vec<T> (&u)[width], Use use) {
    int step = 0;
    for (int chain = 0; chain < plan.chains; ++chain) {
        Vec<T> k[width];
        Values::template values<T, width>(plan.kernel, plan.scale[chain], reference, u, k);
        for (const int end = step + plan.lengths[chain];;) {
            use(k, step);
            if (++step == end) break;
            for (int i = 0; i < width; ++i) k[i] *= k[i];
        }
    }
}

// What the weights look like. Ones are summed without a multiplication, which is what limits the loops.
enum class Weights { ones, column, columns };

// sum + weight . k over `width` vectors; the terms are added first, to keep the chain of sums short.
template <class T, Weights kind, int width>
PARZEN_INLINE Vec<T> add_weighted(Vec<T> sum, const Vec<T>* k, const T* weights) {
    constexpr int L = lanes<T>;
    Vec<T> part = kind == Weights::ones ? k[0] : k[0] * load<T>(weights);
    for (int i = 1; i < width; ++i) {
        part = kind == Weights::ones ? part + k[i] : multiply_add<T>(load<T>(weights + i * L), k[i], part);
    }
    return sum + part;
}

}  // namespace
