// How points, weights and bandwidths are laid out before the tiles run over them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "parzen/sums.hpp"
#include "parzen/tile.hpp"

namespace parzen {

// A zeroed array on a cache line.
template <class T>
class Aligned {
   public:
    Aligned() = default;
    explicit Aligned(std::size_t count)
        : data_(static_cast<T*>(::operator new[](bytes(count), alignment))), size_(count) {
        for (std::size_t i = 0; i < count; ++i) data_.get()[i] = T(0);
    }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

   private:
    static constexpr std::align_val_t alignment{64};
    static std::size_t bytes(std::size_t count) { return (count * sizeof(T) + 63) / 64 * 64 + 64; }
    struct Release {
        void operator()(T* p) const { ::operator delete[](p, alignment); }
    };
    std::unique_ptr<T[], Release> data_;
    std::size_t size_ = 0;
};

// Points that feed the same columns: class columns, for instance, make one segment per class.
// Sorted so, a pair costs one multiplication per column it feeds, and a column's nearest point is
// known without looking at weights.
template <class T>
struct Segment {
    std::vector<std::size_t> index;  // original positions, increasing
    std::vector<int> columns;
    std::size_t padded = 0;        // index.size() rounded up to whole panels
    Aligned<T> points;             // [panel][dimension][panel width]
    Aligned<T> norms;              // [padded], dot form only
    std::vector<T> largest_norms;  // [panels]
    Aligned<T> exponents;          // [padded] what the norms add to the exponents; one Gaussian bandwidth only
    Aligned<T> uncentred;          // as points, not centred; where the dot form serves for exponents only
    Aligned<T> narrowing;          // [padded] what a point's own width multiplies its measure by; 1 in the padding
    Aligned<T> weights;            // [columns][depth, by step][padded], zero in the padding
    bool ones = false;             // one column, and all its weights are 1
    // [columns][depth, by step] where the nearest point may have weight 0 at the step: a sum in units of that
    // point's value that is smaller may have lost terms to underflow. 0 where it cannot; empty: nowhere.
    std::vector<double> least_reliable;
};

// Squared distances by |x|^2 + |y|^2 - 2xy lose digits; this says when they keep enough.
struct DotRule {
    bool use = false;
    bool exponents_only = false;  // distances themselves are taken by differences
    double error_factor = 0;      // of the norms' sum: bound on the error of u
    double tolerance = 0;         // relative error allowed
    double floor = 0;             // u below which the error is measured absolutely: 2 h^2 of the smallest width

    bool trusted(double norms, double smallest_u) const {
        return error_factor * norms <= tolerance * (floor + smallest_u);
    }
};

// The bandwidth plan with its storage. Inside the core everything that depends on the bandwidth is
// ordered by step; only the inputs and the results are in the caller's order.
template <class T>
struct Plan {
    std::vector<int> order;    // [steps] the caller's index of each step's bandwidth
    std::vector<int> lengths;  // [chains]
    std::vector<T> scale;      // [chains]
    BandwidthPlan<T> view;
};

// Everything that is computed once per call and only read afterwards.
template <class T>
struct Packed {
    Packed(const SumsInput<T>& input, Mode mode);

    double bandwidth(std::size_t step) const { return input.bandwidths[plan.order[step]]; }

    const SumsInput<T> input;  // its queries are read by nobody here: one packing may serve several calls
    const TileOps<T>& ops;
    Form form;
    DotRule dot;
    std::vector<double> centre;  // of the points; subtracted in the dot form only
    Plan<T> plan;
    std::vector<Segment<T>> segments;
    std::size_t widest;   // most columns of a segment
    int weight_bits = 0;  // how far the weights are from 1, in powers of two; logarithms only

   private:
    void pack(Segment<T>& segment) const;
};

// One bandwidth of the Gaussian kernel, the same for all points: its exponents can be had from scaled dot products.
template <class T>
bool one_gaussian(const SumsInput<T>& input) {
    return input.kernel.profile == Profile::gaussian && input.n_bandwidths == 1 && !input.factors;
}

// Copies `count` points given by their indices into panels, unchanged or minus the centre.
template <class T>
void pack_points(const T* points, const std::size_t* index, std::size_t count, int dimension, int panel,
                 const double* centre, T* packed);

}  // namespace parzen
