// Values of the ANOVA kernel.
#include "parzen/anova.hpp"

#include "python.hpp"

namespace {

void anova_values(In<double, 2> queries, In<double, 2> query_centres, In<double, 2> points, In<double, 2> centres,
                  In<double, 1> exponentials, In<double, 1> equalities, double pairs, double scale, Out<double, 2> out,
                  int threads) {
    const std::size_t n = queries.shape(0), m = points.shape(0), d = points.shape(1);
    require(m > 0 && d > 0, "points must have rows and columns");
    require(queries.shape(1) == d, "queries and points must have the same number of columns");
    require(query_centres.shape(0) == n && query_centres.shape(1) == d, "query_centres must be as large as queries");
    require(centres.shape(0) == m && centres.shape(1) == d, "centres must be as large as points");
    require(exponentials.shape(0) == d && equalities.shape(0) == d,
            "exponentials and equalities must have one entry per column");
    require(out.shape(0) == n && out.shape(1) == m, "out must have shape (queries, points)");
    const parzen::AnovaForm form{d, exponentials.data(), equalities.data(), pairs, scale};
    pass_without_lock(threads, [&](parzen::Control& control) {
        parzen::anova_values(form, {queries.data(), query_centres.data(), n}, {points.data(), centres.data(), m},
                             out.data(), control);
    });
}

}  // namespace

void bind_anova(nb::module_& m) {
    m.def("anova_values", &anova_values, "queries"_a.noconvert(), "query_centres"_a.noconvert(), "points"_a.noconvert(),
          "centres"_a.noconvert(), "exponentials"_a.noconvert(), "equalities"_a.noconvert(), "pairs"_a, "scale"_a,
          "out"_a.noconvert(), "threads"_a,
          "Write the ANOVA kernel of all pairs to `out`: (S1 + pairs (S1^2 - S2)) scale.\n\n"
          "S1 and S2 are the sums over the columns of k and of k^2, k = exponential exp(-|x - y|) +\n"
          "equality [x = y] - a - b. "
          "queries and their centres a: (n, d); points and their centres b: (m, d); exponentials, equalities: (d,);\n"
          "out: (n, m).");
}
