#include "parzen/anova.hpp"

#include <algorithm>
#include <vector>

#include "anova/loops.hpp"
#include "core/loop_tables.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(AnovaLoops, anova);

namespace {

constexpr std::size_t rows_per_task = 64;      // queries
constexpr double nanoseconds_per_value = 1.0;  // of one column of one pair, to judge whether threads pay

// [rows][columns] to [tiles][columns][anova_tile]; the last tile repeats the last row.
std::vector<double> tiled(const double* values, std::size_t rows, std::size_t columns) {
    const std::size_t tiles = (rows + anova_tile - 1) / anova_tile;
    std::vector<double> out(tiles * columns * anova_tile);
    for (std::size_t t = 0; t < tiles; ++t)
        for (std::size_t l = 0; l < columns; ++l)
            for (std::size_t j = 0; j < anova_tile; ++j)
                out[(t * columns + l) * anova_tile + j] = values[std::min(t * anova_tile + j, rows - 1) * columns + l];
    return out;
}

}  // namespace

void anova_values(const AnovaForm& form, const AnovaRows& queries, const AnovaRows& points, double* out,
                  Control& control) {
    const AnovaLoops& loops = PARZEN_LOOPS_IN_USE(anova);
    const std::size_t d = form.columns, m = points.rows;
    const std::vector<double> values = tiled(points.values, m, d), centres = tiled(points.centres, m, d);
    const std::size_t tasks = (queries.rows + rows_per_task - 1) / rows_per_task;
    const double work = nanoseconds_per_value * static_cast<double>(queries.rows) * static_cast<double>(m * d);
    parallel_for(control, work, tasks, [&](std::size_t task) {
        const std::size_t begin = task * rows_per_task, end = std::min(begin + rows_per_task, queries.rows);
        double result[anova_tile];
        for (std::size_t first = 0; first < m && !control.stopped(); first += anova_tile) {
            const std::size_t place = first * d, count = std::min(anova_tile, m - first);
            for (std::size_t i = begin; i < end; ++i) {
                loops.row(form, queries.values + i * d, queries.centres + i * d, values.data() + place,
                          centres.data() + place, result);
                std::copy_n(result, count, out + i * m + first);
            }
        }
    });
}

}  // namespace parzen
