// Where plain arithmetic fails: far from the data, under a large offset, at awkward sizes.
#include <cmath>

#include "check.hpp"
#include "problem.hpp"

using namespace problem;
using parzen::Mode;

namespace {

template <class T>
void shift(std::vector<T>& x, double offset) {
    for (T& value : x) value = static_cast<T>(value + offset);
}

template <class T>
void check_far(int d, const parzen::Kernel& kernel, double distance) {
    Problem<T> p = make<T>(5, 70, d, kernel);
    shift(p.queries, distance);
    add_columns(p, 3, 1, false);
    check_against_reference(p, Mode::log);
    add_columns(p, 3, 1, true);
    check_against_reference(p, Mode::scaled);
}

}  // namespace

TEST(far_queries_keep_their_logarithms_and_ratios) {
    for_each_instruction_set([] {
        for (int d : {1, 3, 12, 500}) {
            for (const parzen::Kernel& kernel : kernels(d)) {
                if (!parzen::can_factor(kernel.profile)) continue;
                check_far<double>(d, kernel, 1e6);
                check_far<float>(d, kernel, 1e3);
            }
        }
    });
}

TEST(compact_kernels_off_their_support_sum_to_nothing) {
    for_each_instruction_set([] {
        for (const parzen::Kernel& kernel : kernels(2)) {
            if (!parzen::is_compact(kernel.profile)) continue;
            Problem<double> p = make<double>(5, 70, 2, kernel);
            shift(p.queries, 1e3);
            for (double value : solve(p, Mode::log).values) CHECK(value == -INFINITY);
            for (double value : solve(p, Mode::plain).values) CHECK(value == 0);
        }
    });
}

TEST(an_offset_common_to_all_points_costs_no_digits) {
    for_each_instruction_set([] {
        for (int d : {2, 6, 40}) {
            for (const parzen::Kernel& kernel : kernels(d)) {
                if (kernel.profile == parzen::Profile::polynomial) continue;
                Problem<double> wide = make<double>(6, 80, d, kernel);
                shift(wide.queries, 1e8);
                shift(wide.points, 1e8);
                check_against_reference(wide, Mode::log);
                Problem<float> narrow = make<float>(6, 80, d, kernel);
                shift(narrow.queries, 1e3);
                shift(narrow.points, 1e3);
                check_against_reference(narrow, Mode::log);
            }
        }
    });
}

TEST(two_clusters_far_apart_keep_their_digits) {
    for_each_instruction_set([] {
        for (int d : {2, 6, 40}) {
            Problem<double> p = make<double>(8, 200, d, {});
            for (std::size_t i = 0; i < p.points.size() / 2; ++i) p.points[i] += 1e6;
            for (std::size_t i = 0; i < p.queries.size() / 2; ++i) p.queries[i] += 1e6;
            check_against_reference(p, Mode::log);
            check_against_reference(p, Mode::plain);
        }
    });
}

TEST(a_lone_point_left_out_leaves_an_empty_sum) {
    for_each_instruction_set([] {
        for (const parzen::Kernel& kernel : kernels(2)) {
            check::subject() = std::string(parzen::instruction_set()) + " " + name(kernel.profile);
            Problem<double> p = make_same<double>(1, 2, kernel);
            p.exclude_self = true;
            for (double value : solve(p, Mode::plain).values) CHECK(value == 0);
            for (double value : solve(p, Mode::scaled).values) CHECK(value == 0);
            if (kernel.profile == parzen::Profile::polynomial) continue;
            for (double value : solve(p, Mode::log).values) CHECK(value == -INFINITY);
        }
    });
}

TEST(no_queries_give_no_sums) {
    Problem<double> p = make<double>(0, 10, 3, {});
    CHECK(solve(p, Mode::plain).values.empty());
}
