// The table of kernels: found by name with the right parameters, refused otherwise.
#include <cmath>
#include <cstring>

#include "check.hpp"
#include "parzen/kernel.hpp"
#include "problem.hpp"

using parzen::Kernel;
using parzen::Profile;

TEST(every_row_is_found_under_its_name) {
    const double none[] = {0}, one[] = {1.5}, two[] = {2.0, 3.0};
    for (int i = 0; i < parzen::kernel_count; ++i) {
        check::subject() = parzen::kernel_rows[i].name;
        Kernel kernel;
        const double* tried[] = {none, one, two};
        int found = 0;
        for (int count = 0; count < 3; ++count)
            found += parzen::find_kernel(parzen::kernel_rows[i].name, tried[count], count, kernel) == nullptr;
        CHECK(found == 1);  // with its own number of parameters, and with no other
        CHECK(kernel.profile == static_cast<Profile>(i));
    }
}

TEST(parameters_go_where_the_formula_reads_them) {
    Kernel kernel;
    const double power[] = {2.5}, epsilon[] = {1.25}, polynomial[] = {0.5, 4.0};
    CHECK(parzen::find_kernel("rational", power, 1, kernel) == nullptr);
    CHECK(kernel.power == 2.5);
    CHECK(parzen::find_kernel("gaussian_exponential", epsilon, 1, kernel) == nullptr);
    CHECK(kernel.epsilon == 1.25);
    CHECK(parzen::find_kernel("polynomial", polynomial, 2, kernel) == nullptr);
    CHECK(kernel.constant == 0.5 && kernel.degree == 4);
}

TEST(unknown_names_and_parameters_out_of_range_are_refused) {
    Kernel kernel;
    CHECK(parzen::find_kernel("abacus", nullptr, 0, kernel) != nullptr);
    for (double power : {0.0, -1.0, 0.3, 1e300, std::nan("")})
        CHECK(parzen::find_kernel("rational", &power, 1, kernel) != nullptr);
    for (double degree : {-1.0, 1.5, 1e300, std::nan("")}) {
        const double parameters[] = {0.0, degree};
        CHECK(parzen::find_kernel("polynomial", parameters, 2, kernel) != nullptr);
    }
}

TEST(logarithms_of_single_values_agree_with_long_double) {
    for (const Kernel& kernel : problem::kernels(3)) {
        check::subject() = problem::name(kernel.profile);
        if (!parzen::can_factor(kernel.profile)) continue;
        for (double distance : {0.0, 1e-3, 0.7, 1.9, 40.0, 1e6}) {
            const bool l1 = parzen::measure_of(kernel.profile) == parzen::Measure::l1_distance;
            const double squared = distance * distance;
            const double u = parzen::needs_root(kernel.profile) || l1 ? distance : squared;
            const long double wanted = problem::log_kernel(kernel, l1 ? distance : squared, 1.3);
            CHECK(std::abs(parzen::log_value(kernel, u, 1.3) - wanted) <= 1e-14L * (1 + std::abs(wanted)));
        }
    }
}
