// Sums where queries and points are the same: every value adds to both sides of its pair. Private to
// one instruction set, as all that tile.cpp includes.
#pragma once

#include "sums/tile_values.hpp"

namespace {

using parzen::PairTask;
using parzen::tile_rows;

constexpr int panel_vectors = 3;

// One panel against the group through every step: each value adds to its point's sums and to its row's.
template <class T, class Values, Weights kind>
PARZEN_INLINE void accumulate_both_sides(const BandwidthPlan<T>& plan, const PairTask<T>& task, int j) {
    constexpr int L = lanes<T>;
    constexpr int width = panel_vectors;
    constexpr bool ones = kind == Weights::ones;
    Vec<T> u[tile_rows * width];
    for (int r = 0; r < tile_rows; ++r) {
        for (int i = 0; i < width; ++i) u[r * width + i] = load<T>(task.u + r * task.ldu + j + i * L);
    }
    for_each_step<T, Values, tile_rows * width>(plan, T(0), u, [&](const auto& k, int step) {
        for (int c = 0; c < (kind == Weights::columns ? task.row_columns : 1); ++c) {
            const T* w = ones ? nullptr : task.row_weights + c * tile_rows;
            T* sums = task.point_sums + (c * plan.steps + step) * task.point_sums_stride + j;
            Vec<T> part[width];
            for (int i = 0; i < width; ++i) part[i] = load<T>(sums + i * L);
            for (int r = 0; r < tile_rows; ++r) {
                for (int i = 0; i < width; ++i) {
                    const Vec<T> value = k[r * width + i];
                    part[i] = ones ? part[i] + value : multiply_add<T>(splat<T>(w[r]), value, part[i]);
                }
            }
            for (int i = 0; i < width; ++i) store<T>(sums + i * L, part[i]);
        }
        for (int c = 0; c < (kind == Weights::columns ? task.point_columns : 1); ++c) {
            const T* w = ones ? nullptr : task.point_weights + c * task.stride + j;
            for (int r = 0; r < tile_rows; ++r) {
                T* sums = task.row_sums + ((r * task.point_columns + c) * plan.steps + step) * L;
                store<T>(sums, add_weighted<T, kind, width>(load<T>(sums), k + r * width, w));
            }
        }
    });
}

// One panel's values of one step added to the sums of both sides, and squared before where they
// follow in a chain. Of the two sums that a value goes to, part of one takes the square as a fused
// multiply-add: what adds and what multiplies are different units, and both are to be busy.
template <class T, bool squared>
PARZEN_INLINE void add_both_sides(Vec<T> (&k)[tile_rows * panel_vectors], T* point_sums, T* row_sums,
                                  std::ptrdiff_t row_stride) {
    constexpr int L = lanes<T>;
    constexpr int width = panel_vectors;
    for (int r = 0; r < tile_rows; ++r) {
        Vec<T>* const row = k + r * width;
        Vec<T> sum = load<T>(row_sums + r * row_stride);
        for (int i = 0; i < width; ++i) {
            const bool fused = squared && i + 1 + r % 2 < width;
            if (fused) {
                sum = multiply_add<T>(row[i], row[i], sum);
                PARZEN_OPAQUE(row[i]);  // or the compiler squares once and adds
            }
            if (squared) row[i] *= row[i];
            if (!fused) sum += row[i];
        }
        store<T>(row_sums + r * row_stride, sum);
    }
    for (int i = 0; i < width; ++i) {
        Vec<T> sum = load<T>(point_sums + i * L);
        for (int r = 0; r < tile_rows; ++r) sum += k[r * width + i];
        store<T>(point_sums + i * L, sum);
    }
}

// The values of an exponential kernel at the first bandwidth of a chain.
template <class T>
PARZEN_INLINE void begin_chain(const PairTask<T>& task, int j, T scale, bool in_range, Vec<T>* k) {
    constexpr int width = panel_vectors;
    for (int i = 0; i < tile_rows * width; ++i) {
        k[i] = load<T>(task.u + i / width * task.ldu + j + i % width * lanes<T>) * scale;
        PARZEN_OPAQUE(k[i]);  // a product, not part of two fused multiply-adds
    }
    if (in_range) {
        exp2_in_range<T, tile_rows * width>(k);
    } else {
        for (int i = 0; i < tile_rows * width; i += exp_width) exp2_clipped<T>(k + i);
    }
}

// The largest u of one panel.
template <class T>
PARZEN_INLINE T farthest(const PairTask<T>& task, int j) {
    constexpr int width = panel_vectors;
    Vec<T> u = load<T>(task.u + j);
    for (int i = 1; i < tile_rows * width; ++i)
        u = larger<T>(u, load<T>(task.u + i / width * task.ldu + j + i % width * lanes<T>));
    return -lowest_lane<T>(-u);
}

// An exponential kernel without weights: what bandwidths are chosen by.
template <class T>
void accumulate_ones(const BandwidthPlan<T> plan, const PairTask<T> task) {
    constexpr int L = lanes<T>;
    const std::ptrdiff_t row_stride = static_cast<std::ptrdiff_t>(plan.steps) * L;
    for (int j = 0; j < task.points; j += panel_vectors * L) {
        const T far = farthest<T>(task, j);
        T* point_sums = task.point_sums + j;
        T* row_sums = task.row_sums;
        for (int chain = 0; chain < plan.chains; ++chain) {
            Vec<T> first[tile_rows * panel_vectors], k[tile_rows * panel_vectors];
            const bool in_range = far * plan.scale[chain] > Traits<T>::smallest_exponent;
            begin_chain<T>(task, j, plan.scale[chain], in_range, first);
            for (int i = 0; i < tile_rows * panel_vectors; ++i) k[i] = first[i];  // in registers from here on
            add_both_sides<T, false>(k, point_sums, row_sums, row_stride);
            for (int step = 1; step < plan.lengths[chain]; ++step) {
                point_sums += task.point_sums_stride;
                row_sums += L;
                add_both_sides<T, true>(k, point_sums, row_sums, row_stride);
            }
            point_sums += task.point_sums_stride;
            row_sums += L;
        }
    }
}

template <class T, class Values, Weights kind>
void accumulate_tiles(const BandwidthPlan<T> plan, const PairTask<T> task) {
    for (int j = 0; j < task.points; j += panel_vectors * lanes<T>)
        accumulate_both_sides<T, Values, kind>(plan, task, j);
}

template <class T, class Values>
void accumulate_pair_values(const BandwidthPlan<T>& plan, const PairTask<T>& task) {
    if (task.row_columns > 1 || task.point_columns > 1)
        return accumulate_tiles<T, Values, Weights::columns>(plan, task);
    if (task.point_weights) return accumulate_tiles<T, Values, Weights::column>(plan, task);
    if constexpr (__is_same(Values, ExponentialValues)) return accumulate_ones<T>(plan, task);
    accumulate_tiles<T, Values, Weights::ones>(plan, task);
}

}  // namespace
