// Compiled once per instruction set (PARZEN_ISA, PARZEN_VECTOR_BYTES); everything but the table at
// the foot is private to the translation unit.
#include "anova/loops.hpp"

#include "core/loop_tables.hpp"
#include "core/vector.hpp"

namespace {

using parzen::anova_tile;
using parzen::AnovaForm;

using V = Vec<double>;
constexpr int width = exp_width;
constexpr std::size_t together = width * lanes<double>;  // points in the vectors of one step
constexpr double log2_e = 1.4426950408889634074;

static_assert(anova_tile % together == 0);

// Adds the kernel of column l and its square, for `together` points: y are their values and b their centres.
PARZEN_INLINE void add_column(const AnovaForm& form, std::size_t l, double x, double a, const double* y,
                              const double* b, V* s1, V* s2) {
    V distance[width], k[width];
    for (int i = 0; i < width; ++i) distance[i] = absolute<double>(x - load<double>(y + i * lanes<double>));
    for (int i = 0; i < width; ++i) k[i] = V{};
    if (form.exponentials[l] != 0) {
        for (int i = 0; i < width; ++i) k[i] = distance[i] * -log2_e;
        exp2_clipped<double>(k);
        for (int i = 0; i < width; ++i) k[i] *= form.exponentials[l];
    }
    if (form.equalities[l] != 0)
        for (int i = 0; i < width; ++i) k[i] += distance[i] == V{} ? splat<double>(form.equalities[l]) : V{};
    for (int i = 0; i < width; ++i) {
        k[i] -= a + load<double>(b + i * lanes<double>);
        s1[i] += k[i];
        s2[i] = multiply_add<double>(k[i], k[i], s2[i]);
    }
}

void row(const AnovaForm& form, const double* query, const double* query_centres, const double* points,
         const double* centres, double* out) {
    for (std::size_t first = 0; first < anova_tile; first += together) {
        V s1[width] = {}, s2[width] = {};
        for (std::size_t l = 0; l < form.columns; ++l)
            add_column(form, l, query[l], query_centres[l], points + l * anova_tile + first,
                       centres + l * anova_tile + first, s1, s2);
        for (int i = 0; i < width; ++i) {
            const V products = s1[i] * s1[i] - s2[i];  // of two different columns, each pair twice
            store<double>(out + first + i * lanes<double>, (s1[i] + form.pairs * products) * form.scale);
        }
    }
}

constexpr parzen::AnovaLoops table{row};

}  // namespace

namespace parzen {

extern const AnovaLoops* const PARZEN_OF_ISA(anova);
const AnovaLoops* const PARZEN_OF_ISA(anova) = &table;

}  // namespace parzen
