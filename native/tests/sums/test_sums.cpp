// Every instruction set, profile, mode and precision against long double.
#include <cmath>

#include "check.hpp"
#include "problem.hpp"

using namespace problem;

namespace {

template <class T>
void check_all_modes(const Problem<T>& p) {
    for (parzen::Mode mode : modes(p.kernel)) check_against_reference(p, mode);
}

template <class Body>
void for_each_kernel(std::initializer_list<int> dimensions, Body body) {
    for_each_instruction_set([&] {
        for (int d : dimensions) {
            for (const parzen::Kernel& kernel : kernels(d)) {
                body.template operator()<float>(d, kernel);
                body.template operator()<double>(d, kernel);
            }
        }
    });
}

}  // namespace

TEST(sums_of_a_single_column_of_ones) {
    for_each_kernel({1, 2, 5, 33},
                    []<class T>(int d, const parzen::Kernel& kernel) { check_all_modes(make<T>(9, 131, d, kernel)); });
}

TEST(sums_over_fewer_points_than_a_vector_holds) {
    for_each_kernel({3, 6}, []<class T>(int d, const parzen::Kernel& kernel) {
        for (std::size_t points : {1, 2, 7}) check_all_modes(make<T>(5, points, d, kernel));
    });
}

TEST(several_columns_that_share_some_points) {
    for_each_kernel({2, 7}, []<class T>(int d, const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(6, 90, d, kernel);
        add_columns(p, 4, 1, false);
        check_against_reference(p, modes(kernel)[1]);
        add_columns(p, 4, 1, true);
        check_against_reference(p, parzen::Mode::plain);
        check_against_reference(p, parzen::Mode::scaled);
    });
}

TEST(weights_that_depend_on_the_bandwidth) {
    for_each_kernel({2, 7}, []<class T>(int d, const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(6, 90, d, kernel);
        add_columns(p, 2, static_cast<int>(p.bandwidths.size()), false);
        check_all_modes(p);
    });
}

TEST(labels_are_columns_of_a_one_hot_matrix) {
    for_each_kernel({2, 7}, []<class T>(int d, const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(6, 90, d, kernel);
        add_labels(p, 5, false);
        check_all_modes(p);
        add_labels(p, 5, true);
        check_all_modes(p);
    });
}

TEST(a_pair_with_itself_is_skipped_on_request) {
    for_each_kernel({1, 6}, []<class T>(int d, const parzen::Kernel& kernel) {
        Problem<T> p = make_same<T>(61, d, kernel);
        p.exclude_self = true;
        check_all_modes(p);
        add_labels(p, 3, false);
        check_all_modes(p);
    });
}

TEST(queries_leave_out_the_point_of_their_number) {
    for_each_kernel({1, 6}, []<class T>(int d, const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(61, 61, d, kernel);
        p.exclude_self = true;
        check_all_modes(p);
    });
}

TEST(points_with_widths_of_their_own) {
    for_each_kernel({1, 2, 7, 33}, []<class T>(int d, const parzen::Kernel& kernel) {
        if (parzen::measure_of(kernel.profile) == parzen::Measure::inner_product) return;
        Problem<T> p = make_same<T>(67, d, kernel);
        for (std::size_t j = 0; j < p.n_points; ++j) p.factors.push_back(static_cast<T>(0.3 + 0.1 * (j % 23)));
        check_all_modes(p);
        p.exclude_self = true;
        add_labels(p, 3, true);
        check_all_modes(p);
    });
}

TEST(a_long_grid_of_bandwidths_goes_through_the_squaring_chain) {
    for_each_instruction_set([] {
        for (parzen::Profile profile :
             {parzen::Profile::gaussian, parzen::Profile::laplacian, parzen::Profile::radial_laplacian}) {
            Problem<double> p = make<double>(5, 120, 3, {.profile = profile});
            p.bandwidths.clear();
            for (int b = 0; b < 50; ++b) p.bandwidths.push_back(0.05 * std::pow(2.0, b / 8.0));
            p.log_normalizers.assign(50, 0.25);
            check_all_modes(p);
        }
    });
}

TEST(packed_points_give_the_same_sums_a_few_queries_at_a_time) {
    for_each_kernel({2, 7}, []<class T>(int d, const parzen::Kernel& kernel) {
        Problem<T> p = make<T>(6, 90, d, kernel);
        p.bandwidths.resize(1);
        p.log_normalizers.resize(1);
        add_columns(p, 3, 1, true);
        const Sums<T> whole = solve(p, parzen::Mode::scaled);
        const parzen::PackedSums<T> packed(p.input(), parzen::Mode::scaled);
        CHECK(packed.is_current());
        parzen::Control control(1);
        for (std::size_t first = 0; first < 6; first += 2) {
            std::vector<T> values(2 * p.width()), scale(2);
            packed.at(p.queries.data() + first * d, 2, values.data(), scale.data(), control);
            for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == whole.values[first * p.width() + i]);
            for (std::size_t i = 0; i < 2; ++i) CHECK(scale[i] == whole.log_scale[first + i]);
        }
    });
}
