#include "parzen/reflections.hpp"

#include <algorithm>
#include <vector>

#include "core/loop_tables.hpp"
#include "reflections/loops.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(ReflectionLoops<float>, reflections_float);
PARZEN_DECLARE_LOOPS(ReflectionLoops<double>, reflections_double);

namespace {

constexpr double product_cost = 0.03;  // nanoseconds of a multiplication in single precision, about
// Nanoseconds of work for each strip from which on threads pay for their barrier.
constexpr double work_per_barrier = 1e5;

const ReflectionLoops<float>& loops_for(float) { return PARZEN_LOOPS_IN_USE(reflections_float); }
const ReflectionLoops<double>& loops_for(double) { return PARZEN_LOOPS_IN_USE(reflections_double); }

// Columns in strips, with columns of zeros up to a whole strip, and the factors of their reflections.
// Strips are as high as all rows, or end where those of an upper triangle do.
template <class T>
class Strips {
   public:
    Strips(std::size_t rows, std::size_t columns, bool triangular)
        : loops(loops_for(T{})),
          width(loops.width),
          count((columns + width - 1) / width),
          rows_(std::max((rows + width - 1) / width, count) * width),
          triangular_(triangular),
          values_(start(count)),
          factors_(count * width * width) {}

    std::size_t height(std::size_t strip) const { return triangular_ ? (strip + 1) * width : rows_; }
    T* at(std::size_t strip, std::size_t row) { return values_.data() + start(strip) + row * width; }
    T* factor(std::size_t strip) { return factors_.data() + strip * width * width; }

    const ReflectionLoops<T>& loops;
    const std::size_t width, count;

   private:
    std::size_t start(std::size_t strip) const {
        return triangular_ ? strip * (strip + 1) / 2 * width * width : strip * rows_ * width;
    }

    std::size_t rows_;
    bool triangular_;
    std::vector<T> values_, factors_;
};

// A block of the triangle, [width][width], read and written where the triangle has it.
template <class T>
class Block {
   public:
    Block(T* triangle, std::size_t n, std::size_t row, std::size_t column, std::size_t width)
        : corner_(triangle + row * n + column),
          stride_(n),
          width_(width),
          rows_(std::min(width, n - row)),
          columns_(std::min(width, n - column)),
          diagonal_(row == column),
          values_(width * width) {}

    void read() {
        for (std::size_t i = 0; i < rows_; ++i)
            std::copy(corner_ + i * stride_ + first(i), corner_ + i * stride_ + columns_,
                      &values_[i * width_] + first(i));
    }
    void write(const T* values) const {
        for (std::size_t i = 0; i < rows_; ++i)
            std::copy(values + i * width_ + first(i), values + i * width_ + columns_, corner_ + i * stride_ + first(i));
    }
    void write() const { write(values_.data()); }
    T* values() { return values_.data(); }

   private:
    std::size_t first(std::size_t row) const { return diagonal_ ? std::min(row, columns_) : 0; }

    T* corner_;
    std::size_t stride_, width_, rows_, columns_;
    bool diagonal_;
    std::vector<T> values_;
};

// Finds the reflections of one strip after the other and applies them to all strips to its right,
// of which the next is the first to be done: its own reflections are found while others are busy.
template <class Find, class Apply>
void reflect_all(std::size_t strips, double work, Control& control, Find find, Apply apply) {
    find(0);
    const bool few = work < work_per_barrier * static_cast<double>(strips);
    parallel_rounds(
        control, few ? 0 : work, strips - 1, [strips](std::size_t strip) { return strips - 1 - strip; },
        [&](std::size_t strip, std::size_t index) {
            const std::size_t other = strip + 1 + index;
            apply(strip, other);
            if (index == 0) find(other);
        });
}

double work_of(std::size_t products, std::size_t bytes) {
    return product_cost * static_cast<double>(products) * static_cast<double>(bytes) / sizeof(float);
}

}  // namespace

template <class T>
void triangle_of(const double* rows, std::size_t m, std::size_t n, T* triangle, Control& control) {
    if (n == 0) return;
    Strips<T> strips(m, n, false);
    const std::size_t width = strips.width, height = strips.height(0);
    for (std::size_t s = 0; s < strips.count; ++s) {
        const std::size_t columns = std::min(width, n - s * width);
        for (std::size_t i = 0; i < m; ++i) {
            const double* row = rows + i * n + s * width;
            std::transform(row, row + columns, strips.at(s, i), [](double x) { return static_cast<T>(x); });
        }
    }
    reflect_all(
        strips.count, work_of(n * n * height - n * n * n / 3, sizeof(T)), control,
        [&](std::size_t s) {
            const std::size_t row = s * width;
            Block<T> block(triangle, n, row, row, width);
            strips.loops.inside(strips.at(s, row), height - row, block.values(), strips.factor(s));
            block.write();
        },
        [&](std::size_t s, std::size_t other) {
            const std::size_t row = s * width;
            T* strip = strips.at(other, row);
            strips.loops.apply(strips.at(s, row), height - row, height - row, strips.factor(s), nullptr, strip);
            Block<T>(triangle, n, row, other * width, width).write(strip);
        });
}

template <class T>
void join_diagonal(const T* diagonal, std::size_t n, T* triangle, Control& control) {
    if (n == 0) return;
    Strips<T> strips(n, n, true);
    const std::size_t width = strips.width;
    for (std::size_t i = 0; i < n; ++i) strips.at(i / width, i)[i % width] = diagonal[i];
    reflect_all(
        strips.count, work_of(n * n * n / 3, sizeof(T)), control,
        [&](std::size_t s) {
            Block<T> block(triangle, n, s * width, s * width, width);
            block.read();
            strips.loops.below(strips.at(s, 0), strips.height(s), block.values(), strips.factor(s));
            block.write();
        },
        [&](std::size_t s, std::size_t other) {
            Block<T> block(triangle, n, s * width, other * width, width);
            block.read();
            strips.loops.apply(strips.at(s, 0), s * width, strips.height(s), strips.factor(s), block.values(),
                               strips.at(other, 0));
            block.write();
        });
}

template void triangle_of(const double*, std::size_t, std::size_t, float*, Control&);
template void triangle_of(const double*, std::size_t, std::size_t, double*, Control&);
template void join_diagonal(const float*, std::size_t, float*, Control&);
template void join_diagonal(const double*, std::size_t, double*, Control&);

}  // namespace parzen
