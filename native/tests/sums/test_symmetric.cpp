// The sums of a sample over itself visit each pair once: same results as both orders, and the
// same bits for any number of threads.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "check.hpp"
#include "problem.hpp"

using namespace problem;
using parzen::Mode;

namespace {

// Rows of a sample; fewer where the thread sanitizer makes every pair many times slower.
#ifdef __SANITIZE_THREAD__
constexpr int kRows = 301;
#else
constexpr int kRows = 701;
#endif

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void check_agreement(const Problem<T>& symmetric) {
    Problem<T> ordered = symmetric;
    ordered.same = false;
    const std::vector<T> once = solve(symmetric, Mode::plain).values;
    const std::vector<T> twice = solve(ordered, Mode::plain).values;
    T largest = 0;
    for (T value : twice) largest = std::max(largest, std::abs(value));
    const T allowed = largest * (sizeof(T) == 4 ? T(2e-5) : T(2e-12));
    for (std::size_t i = 0; i < once.size(); ++i) CHECK(std::abs(once[i] - twice[i]) <= allowed);
}

template <class T>
void check_threads(const Problem<T>& p, Mode mode) {
    check::subject() = name(p.kernel.profile) + " " + name(mode);
    const Sums<T> one = solve(p, mode, 1);
    for (int threads : {2, 3, 8}) {
        const Sums<T> many = solve(p, mode, threads);
        CHECK(same_bits(one.values, many.values));
        CHECK(same_bits(one.log_scale, many.log_scale));
    }
}

}  // namespace

TEST(symmetric_sums_agree_with_one_sided_sums) {
    for_each_instruction_set([] {
        for (int d : {2, 9}) {
            for (const parzen::Kernel& kernel : kernels(d)) {
                check::subject() = std::string(parzen::instruction_set()) + " " + name(kernel.profile);
                check_agreement(make_same<float>(kRows, d, kernel));
                Problem<double> p = make_same<double>(kRows, d, kernel);
                check_agreement(p);
                add_columns(p, 3, 1, true);
                check_agreement(p);
                add_labels(p, 4, true);
                check_agreement(p);
            }
        }
    });
}

TEST(symmetric_sums_agree_with_the_reference) {
    for_each_instruction_set([] {
        for (bool exclude_self : {false, true}) {
            for (const parzen::Kernel& kernel : kernels(3)) {
                Problem<double> p = make_same<double>(kRows - 200, 3, kernel);
                p.bandwidths.resize(2);
                p.log_normalizers.resize(2);
                p.exclude_self = exclude_self;
                check_against_reference(p, Mode::plain);
            }
        }
    });
}

TEST(any_number_of_threads_gives_the_same_bits) {
    for (const parzen::Kernel& kernel : kernels(3)) {
        for (Mode mode : modes(kernel)) {
            check_threads(make<float>(kRows - 100, kRows - 201, 3, kernel), mode);
            check_threads(make<double>(kRows - 100, kRows - 201, 3, kernel), mode);
            Problem<double> p = make_same<double>(kRows, 3, kernel);
            p.exclude_self = true;
            add_labels(p, 3, false);
            check_threads(p, mode);
        }
    }
}
