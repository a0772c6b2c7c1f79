// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the table at the
// foot is private to the translation unit.
#include "conformal/loops.hpp"

#include "core/formulas.hpp"
#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::ConformalRows;

template <class Formula>
double count_of(const parzen::Kernel& kernel, double scale, const double* u, const ConformalRows& rows,
                std::size_t count, double level) {
    constexpr int width = exp_width;
    // exp2_clipped takes no larger exponents; 2^990 stands for infinity, as factor_i k is never that large.
    constexpr double largest_exponent = 990.0;
    const Vec<double> level2 = splat<double>(level * log2_e);
    Vec<double> total{};
    for (std::size_t j = 0; j < count; j += width * lanes<double>) {
        Vec<double> at[width], k[width], bound[width];
        for (int i = 0; i < width; ++i) {
            at[i] = load<double>(u + j + i * lanes<double>);
            const Vec<double> exponent = load<double>(rows.slopes + j + i * lanes<double>) * log2_e + level2;
            bound[i] = smaller<double>(exponent, splat<double>(largest_exponent));
        }
        Formula::Values::template values<double, width>(kernel, scale, 0.0, at, k);
        exp2_clipped<double>(bound);
        for (int i = 0; i < width; ++i) {
            const std::size_t p = j + i * lanes<double>;
            const Vec<double> score = k[i] * load<double>(rows.factors + p) + load<double>(rows.shifts + p);
            total += score <= bound[i] ? load<double>(rows.weights + p) : Vec<double>{};
        }
    }
    return add<double>(total);
}

double count(const parzen::Kernel& kernel, double scale, double* u, const ConformalRows& rows, std::size_t n,
             double level) {
    if (parzen::needs_root(kernel.profile))
        for (std::size_t j = 0; j < n; j += lanes<double>)
            store<double>(u + j, square_root<double>(load<double>(u + j)));
    return with_formula(kernel.profile,
                        [&]<class Formula>() { return count_of<Formula>(kernel, scale, u, rows, n, level); });
}

constexpr parzen::ConformalLoops loops{count};

}  // namespace

namespace parzen {

extern const ConformalLoops* const PARZEN_OF_ISA(conformal);
const ConformalLoops* const PARZEN_OF_ISA(conformal) = &loops;

}  // namespace parzen
