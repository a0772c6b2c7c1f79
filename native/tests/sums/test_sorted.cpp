// Sums of one feature by sorting, against long double.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "parzen/sorted.hpp"
#include "problem.hpp"

using namespace problem;

namespace {

template <class Body>
void for_each_sortable(Body body) {
    for (const parzen::Kernel& kernel : kernels(1)) {
        if (!parzen::row_of(kernel.profile).sorted) continue;
        body.template operator()<float>(kernel);
        body.template operator()<double>(kernel);
    }
}

template <class T>
void check_all_modes(Problem<T> p) {
    p.sorted = true;
    for (parzen::Mode mode : modes(p.kernel)) check_against_reference(p, mode);
}

}  // namespace

TEST(sorted_sums_of_many_and_of_few_points) {
    for_each_sortable([]<class T>(const parzen::Kernel& kernel) {
        for (std::size_t points : {1, 2, 7, 400}) check_all_modes(make<T>(60, points, 1, kernel));
    });
}

TEST(sorted_sums_of_columns_labels_and_weights_per_bandwidth) {
    for_each_sortable([]<class T>(const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(30, 200, 1, kernel);
        add_columns(p, 3, static_cast<int>(p.bandwidths.size()), false);
        check_all_modes(p);
        add_labels(p, 4, true);
        check_all_modes(p);
        add_columns(p, 3, 1, true);
        p.sorted = true;
        check_against_reference(p, parzen::Mode::plain);
        check_against_reference(p, parzen::Mode::scaled);
    });
}

TEST(sorted_sums_skip_a_point_itself_among_ties) {
    for_each_sortable([]<class T>(const parzen::Kernel& kernel) {
        Problem<T> p = make_same<T>(150, 1, kernel);
        for (T& x : p.points) x = std::round(4 * x) / 4;
        p.queries = p.points;
        p.bandwidths[0] = 0.5;  // ties at the very edge of the support
        p.exclude_self = true;
        check_all_modes(p);
        add_labels(p, 3, false);
        check_all_modes(p);
    });
}

TEST(sorted_sums_with_an_offset_and_far_clusters) {
    for_each_sortable([]<class T>(const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(40, 300, 1, kernel);
        for (std::size_t j = 0; j < p.n_points; j += 2) p.points[j] += T(1000);
        for (std::size_t i = 0; i < p.n_queries; i += 3) p.queries[i] += T(1000);
        p.queries[1] = T(-5000);
        check_all_modes(p);
    });
}

TEST(sorted_sums_are_the_same_bits_for_any_number_of_threads) {
    for_each_sortable([]<class T>(const parzen::Kernel& kernel) {
        Problem<T> p = make_same<T>(3000, 1, kernel);
        add_labels(p, 5, false);
        p.sorted = true;
        CHECK(solve(p, parzen::Mode::log, 1).values == solve(p, parzen::Mode::log, 3).values);
    });
}
