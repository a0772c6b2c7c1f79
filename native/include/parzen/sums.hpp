// The primitive: sums[i, c, b] = sum_j weights[j, c] k_b(x_i, y_j) in one pass over the pairs.
#pragma once

#include <cstddef>
#include <memory>

#include "parzen/kernel.hpp"
#include "parzen/parallel.hpp"

namespace parzen {

// plain   the sums themselves
// log     their logarithms: each column's nearest point is factored out, nothing underflows
// scaled  sums with the row's largest kernel value factored out, and its logarithm beside them
enum class Mode { plain, log, scaled };

template <class T>
struct SumsInput {
    const T* queries;  // [n_queries][dimension]
    std::size_t n_queries;
    const T* points;  // [n_points][dimension]
    std::size_t n_points;
    int dimension;
    const T* weights;   // [n_points][columns][depth]; null: ones. With labels: [n_points][depth]
    const int* labels;  // [n_points] the one column that each point feeds; null: all of them
    int columns;
    int depth;  // 1, or n_bandwidths when the weights depend on the bandwidth
    Kernel kernel;
    const double* bandwidths;
    const double* log_normalizers;
    int n_bandwidths;
    bool same;          // the queries are the points, in the same order
    bool exclude_self;  // skip the pair (i, i)
    const T* factors =
        nullptr;  // [n_points] by how much each point's kernel is wider; null: ones. Not for inner products
};

// sums: [n_queries][columns][n_bandwidths]; log_scale: [n_queries][n_bandwidths], scaled mode only.
template <class T>
void kernel_sums(const SumsInput<T>& input, Mode mode, T* sums, T* log_scale, Control& control);

template <class T>
struct Packed;

// The points of a call, laid out for the tiles once, for queries that come a few at a time: one bandwidth, and none
// of the points left out. The queries of `input` are not looked at; its other arrays must outlive the object. Several
// threads may ask at once.
template <class T>
class PackedSums {
   public:
    PackedSums(const SumsInput<T>& input, Mode mode);
    ~PackedSums();

    // Whether it was made for the instruction set that is in use.
    bool is_current() const;
    // As `kernel_sums`, to the last bit.
    void at(const T* queries, std::size_t n_queries, T* sums, T* log_scale, Control& control) const;

   private:
    Mode mode_;
    std::unique_ptr<const Packed<T>> packed_;
};

}  // namespace parzen
