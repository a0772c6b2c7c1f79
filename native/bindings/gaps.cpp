// Log-sums over points with gaps.
#include "parzen/gaps.hpp"

#include "python.hpp"

namespace {

void gapped_log_sums(In<double, 2> queries, In<double, 4> marginals, In<std::int64_t, 1> own,
                     In<double, 1> own_log_weight, In<double, 2> points, In<double, 1> log_weights,
                     In<std::uint64_t, 1> segment_starts, In<std::uint64_t, 1> label_starts,
                     In<std::uint8_t, 2> present, In<double, 2> lacking, In<double, 1> rates, bool absolute,
                     Out<double, 3> out, int threads) {
    const std::size_t q = queries.shape(0), d = points.shape(0), n = points.shape(1);
    require_class_starts(segment_starts, n);
    const std::size_t segments = segment_starts.shape(0) - 1;
    require_class_starts(label_starts, segments);
    const std::size_t labels = label_starts.shape(0) - 1, columns = lacking.shape(1), b = rates.shape(0);
    require(queries.shape(1) == d, "queries and points must have the same number of coordinates");
    require(present.shape(0) == segments && present.shape(1) == d, "present must have shape (segments, coordinates)");
    require(lacking.shape(0) == segments, "lacking must have one row per segment");
    require(log_weights.shape(0) == n, "log_weights must have one entry per point");
    require(own.shape(0) == q && own_log_weight.shape(0) == q, "own and its weight must have one entry per query");
    for (std::size_t i = 0; i < q; ++i)
        require(own.data()[i] < static_cast<std::int64_t>(n), "own must be -1 or the number of a point");
    require(marginals.shape(0) == q && marginals.shape(1) == labels && marginals.shape(2) == b &&
                marginals.shape(3) == columns,
            "marginals must have shape (queries, labels, bandwidths, columns)");
    require(out.shape(0) == q && out.shape(1) == labels && out.shape(2) == b,
            "out must have shape (queries, labels, bandwidths)");
    const parzen::GappedPoints with{n,
                                    d,
                                    columns,
                                    segments,
                                    labels,
                                    points.data(),
                                    log_weights.data(),
                                    segment_starts.data(),
                                    label_starts.data(),
                                    present.data(),
                                    lacking.data()};
    const parzen::GappedQueries at{
        q, b, queries.data(), marginals.data(), rates.data(), own.data(), own_log_weight.data(), absolute};
    pass_without_lock(threads,
                      [&](parzen::Control& control) { parzen::gapped_log_sums(with, at, out.data(), control); });
}

}  // namespace

void bind_gaps(nb::module_& m) {
    m.def("gapped_log_sums", &gapped_log_sums, "queries"_a.noconvert(), "marginals"_a.noconvert(), "own"_a.noconvert(),
          "own_log_weight"_a.noconvert(), "points"_a.noconvert(), "log_weights"_a.noconvert(),
          "segment_starts"_a.noconvert(), "label_starts"_a.noconvert(), "present"_a.noconvert(),
          "lacking"_a.noconvert(), "rates"_a.noconvert(), "absolute"_a, "out"_a.noconvert(), "threads"_a,
          "Write log sum_j w_j exp(sum_{l that j lacks} m_l - rate u_j) of every label and bandwidth to `out`.\n\n"
          "u_j is the distance in the coordinates that query and point both have. queries: (q, d), NaN where missing;\n"
          "marginals m: (q, labels, bandwidths, columns); points: (d, n), by label and gaps; out: (q, labels, "
          "bandwidths).");
}
