#include "parzen/gram.hpp"

#include <algorithm>
#include <thread>

#include "core/loop_tables.hpp"
#include "parzen/tile.hpp"
#include "simplex/loops.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(SimplexLoops, simplex_loops);

const SimplexLoops& simplex_loops() { return PARZEN_LOOPS_IN_USE(simplex_loops); }

namespace {
enum RowState : unsigned char { empty, busy, ready };
}

Gram::Gram(const GramInput& input) : input_(input), class_of_(input.n) {
    for (int c = 0; c < input.classes; ++c) {
        std::fill(class_of_.begin() + static_cast<std::ptrdiff_t>(input.starts[c]),
                  class_of_.begin() + static_cast<std::ptrdiff_t>(input.starts[c + 1]), c);
    }
    if (input.matrix != nullptr) return;
    if (fits()) {
        rows_.reset(new double[input.n * input.n]);
        state_.reset(new std::atomic<unsigned char>[input.n]());
    }
    if (input.evaluate) return;
    const auto d = static_cast<std::size_t>(input.dimension);
    transposed_.resize(d * input.n);
    for (std::size_t i = 0; i < input.n; ++i)
        for (std::size_t k = 0; k < d; ++k) transposed_[k * input.n + i] = input.points[i * d + k];
}

void Gram::compute(std::size_t i, double* row) const {
    if (input_.evaluate) return input_.evaluate(i, row);
    const SimplexLoops& loops = simplex_loops();
    const double* x = input_.points + i * static_cast<std::size_t>(input_.dimension);
    const double* bandwidths = input_.bandwidths + class_of_[i] * input_.classes;
    for (int c = 0; c < input_.classes; ++c) {
        const std::size_t begin = start(c), end = start(c + 1);
        double* out = row + begin;
        if (input_.shape == GramShape::product_laplacian) {
            loops.product_laplacian(transposed_.data(), input_.n, input_.dimension, x, begin, end, bandwidths[c], out);
            continue;
        }
        loops.measure(transposed_.data(), input_.n, input_.dimension, x, begin, end, out);
        if (input_.shape == GramShape::gaussian) {
            loops.gaussian(out, end - begin, bandwidths[c]);
        } else {
            loops.rational(out, end - begin, bandwidths[c], input_.power);
        }
    }
}

// The thread that asks first computes the row; others that ask meanwhile wait for it.
const double* Gram::shared_row(std::size_t i) {
    double* row = rows_.get() + i * input_.n;
    if (state_[i].load(std::memory_order_acquire) == ready) return row;
    unsigned char expected = empty;
    if (state_[i].compare_exchange_strong(expected, busy)) {
        compute(i, row);
        state_[i].store(ready, std::memory_order_release);
    } else {
        while (state_[i].load(std::memory_order_acquire) != ready) std::this_thread::yield();
    }
    return row;
}

GramReader::GramReader(Gram& gram, int readers) : gram_(gram) {
    if (gram.matrix() != nullptr || gram.fits()) return;
    const std::size_t row_bytes = gram.size() * sizeof(double);
    capacity_ = std::max<std::size_t>(2, gram.budget() / static_cast<std::size_t>(readers) / row_bytes);
    capacity_ = std::min(capacity_, gram.size());
    rows_.reset(new double[capacity_ * gram.size()]);
    slot_of_.assign(gram.size(), -1);
}

const double* GramReader::row(std::size_t i) {
    const std::size_t n = gram_.size();
    if (gram_.matrix() != nullptr) return gram_.matrix() + i * n;
    if (capacity_ == 0) return gram_.shared_row(i);
    ++clock_;
    std::ptrdiff_t slot = slot_of_[i];
    if (slot < 0) {
        if (point_in_.size() < capacity_) {
            slot = static_cast<std::ptrdiff_t>(point_in_.size());
            point_in_.push_back(i);
            used_.push_back(clock_);
        } else {  // the row that was used least recently makes room
            slot = std::min_element(used_.begin(), used_.end()) - used_.begin();
            slot_of_[point_in_[static_cast<std::size_t>(slot)]] = -1;
            point_in_[static_cast<std::size_t>(slot)] = i;
        }
        slot_of_[i] = slot;
        gram_.compute(i, rows_.get() + static_cast<std::size_t>(slot) * n);
    }
    used_[static_cast<std::size_t>(slot)] = clock_;
    return rows_.get() + static_cast<std::size_t>(slot) * n;
}

void gaussian_of_products(double* values, std::size_t rows, std::size_t columns, const double* a, const double* b) {
    const SimplexLoops& loops = simplex_loops();
    for (std::size_t i = 0; i < rows; ++i) loops.exponentials(values + i * columns, columns, a[i], b);
}

}  // namespace parzen
