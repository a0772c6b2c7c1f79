// Chooses the instruction set once per process: the widest that the processor has and that
// reproduces the baseline on a small problem, unless PARZEN_SIMD names another.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/loop_tables.hpp"
#include "parzen/tile.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(TileOps<float>, tile_float);
PARZEN_DECLARE_LOOPS(TileOps<double>, tile_double);

namespace {

bool always() { return true; }

#ifdef PARZEN_X86
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif

const std::vector<InstructionSet>& sets() {  // from the widest to the baseline
    static const std::vector<InstructionSet> all = {
#ifdef PARZEN_X86
        {"avx512", has_avx512, tile_float_avx512, tile_double_avx512},
        {"avx2", has_avx2, tile_float_avx2, tile_double_avx2},
#endif
        {"baseline", always, tile_float_baseline, tile_double_baseline},
    };
    return all;
}

// The sums of both sides of a tile: the rows' lanes added up, then the points' sums.
template <class T>
void probe_pairs(const TileOps<T>& ops, const BandwidthPlan<T>& plan, const T* u, int points, const T* weights,
                 std::vector<double>& result) {
    std::vector<T> row_sums(tile_rows * plan.steps * ops.lanes), point_sums(plan.steps * points);
    ops.accumulate_pairs(
        plan, {u, points, points, weights, points, 1, weights, 1, row_sums.data(), point_sums.data(), points});
    const std::size_t before = result.size();
    result.resize(before + plan.steps * tile_rows);
    ops.add_lanes(row_sums.data(), plan.steps * tile_rows, result.data() + before);
    result.insert(result.end(), point_sums.begin(), point_sums.end());
}

// Distances in every form and sums of every profile on a small fixed problem, as one list.
template <class T>
std::vector<double> probe(const TileOps<T>& ops) {
    constexpr int dimension = 5, points = 96, steps = 3;
    std::vector<T> queries(dimension * tile_rows), norms(tile_rows + points), packed(dimension * points);
    std::vector<T> u(tile_rows * points), weights(points), scratch(steps * ops.lanes), nearest(tile_rows);
    // The value of coordinate k of point j does not depend on how wide the panels are.
    const auto coordinate = [](int j, int k) { return T((j * 7 + k * 13) % 29) / T(29); };
    for (int k = 0; k < dimension; ++k)
        for (int r = 0; r < tile_rows; ++r) queries[k * tile_rows + r] = coordinate(3 * r + 1, k);
    for (int j = 0; j < points; ++j) {
        weights[j] = T(1) + T(j % 5);
        const int panel = j / ops.panel, lane = j % ops.panel;
        for (int k = 0; k < dimension; ++k) packed[(panel * dimension + k) * ops.panel + lane] = coordinate(j, k);
    }
    const int lengths[] = {2, 1}, single_steps[] = {1, 1, 1};
    const T reference[tile_rows] = {};
    std::vector<double> result;
    for (Form form : {Form::difference, Form::absolute, Form::inner, Form::dot}) {
        ops.distances({form, queries.data(), norms.data(), packed.data(), norms.data() + tile_rows, 1,
                       points / ops.panel, dimension, u.data(), points, nearest.data()});
        result.insert(result.end(), u.begin(), u.end());
        result.insert(result.end(), nearest.begin(), nearest.end());
        for (int row = 0; row < kernel_count; ++row) {
            const auto profile = static_cast<Profile>(row);
            const bool exponential = is_exponential(profile);
            const T slopes[] = {T(-0.5), T(-3.0)}, widths[] = {T(0.8), T(0.6), T(0.4)};
            const BandwidthPlan<T> plan{Kernel{profile, 1.5, 1.4, 1.0, 3}, steps, exponential ? 2 : 3,
                                        exponential ? lengths : single_steps, exponential ? slopes : widths};
            for (const T* w : {static_cast<const T*>(weights.data()), static_cast<const T*>(nullptr)}) {
                double sums[tile_rows * steps] = {};
                ops.accumulate(plan,
                               {u.data(), points, tile_rows, points, reference, w, points, 1, 1, sums, scratch.data()});
                result.insert(result.end(), sums, sums + tile_rows * steps);
                probe_pairs(ops, plan, u.data(), points, w, result);
            }
        }
    }
    ops.root(u.data(), points);
    result.insert(result.end(), u.begin(), u.begin() + points);
    result.push_back(ops.minimum(u.data(), points));
    ops.multiply(u.data(), weights.data(), points);
    result.insert(result.end(), u.begin(), u.begin() + points);
    return result;
}

template <class T>
bool reproduces_baseline(const TileOps<T>& ops, const TileOps<T>& baseline, double tolerance) {
    const std::vector<double> ours = probe(ops), theirs = probe(baseline);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (!(std::abs(ours[i] - theirs[i]) <= tolerance * (1 + std::abs(theirs[i])))) return false;
    }
    return true;
}

std::atomic<const InstructionSet*> chosen{nullptr};

const InstructionSet& in_use() {
    if (chosen.load() == nullptr) choose_instruction_set("");
    return *chosen.load();
}

}  // namespace

const InstructionSet* instruction_sets(int* count) {
    *count = static_cast<int>(sets().size());
    return sets().data();
}

bool passes_self_check(const InstructionSet& set) {
    return reproduces_baseline(*set.single, *tile_float_baseline, 1e-5) &&
           reproduces_baseline(*set.full, *tile_double_baseline, 1e-13);
}

bool choose_instruction_set(const char* name) {
    for (const InstructionSet& set : sets()) {
        if (*name != '\0' && std::strcmp(name, set.name) != 0) continue;
        if (set.supported() && passes_self_check(set)) {
            chosen.store(&set);
            return true;
        }
    }
    return false;
}

const char* instruction_set() { return in_use().name; }

template <>
const TileOps<float>& tile_ops<float>() {
    return *in_use().single;
}

template <>
const TileOps<double>& tile_ops<double>() {
    return *in_use().full;
}

}  // namespace parzen
