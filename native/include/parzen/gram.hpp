// Rows of a kernel matrix between points sorted by class, computed when first asked for.
//
//   row(i)[j] = k_b(x_i, x_j) / k_b(0),   b = bandwidths[class of i][class of j]
//
// When the whole matrix fits the budget every row is computed at most once and shared by all
// threads; otherwise each reader keeps the rows it used last. A ready-made matrix serves as well,
// and so does a function that computes rows of any other kernel.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace parzen {

enum class GramShape {
    gaussian,           // exp(-r^2 / 2b^2)
    rational,           // (1 + r^2 / b^2)^(-power), power a multiple of 1/2
    product_laplacian,  // prod_l (1 + t_l) exp(-t_l), t_l = |x_l - y_l| / b
};

struct GramInput {
    std::size_t n = 0;
    int dimension = 0;
    const double* points = nullptr;                      // [n][dimension], unless `matrix` or `evaluate` is given
    const double* matrix = nullptr;                      // [n][n]
    std::function<void(std::size_t, double*)> evaluate;  // writes row i, called by any thread
    GramShape shape = GramShape::gaussian;
    double power = 1.0;
    int classes = 1;
    const std::size_t* starts = nullptr;  // [classes + 1] first point of every class
    const double* bandwidths = nullptr;   // [classes][classes]
    std::size_t budget = 0;               // bytes for rows
};

class Gram {
   public:
    explicit Gram(const GramInput& input);

    std::size_t size() const { return input_.n; }
    int classes() const { return input_.classes; }
    std::size_t start(int c) const { return input_.starts[c]; }
    int class_of(std::size_t i) const { return class_of_[i]; }
    const double* matrix() const { return input_.matrix; }
    bool fits() const { return input_.n * input_.n * sizeof(double) <= input_.budget; }
    std::size_t budget() const { return input_.budget; }
    void compute(std::size_t i, double* row) const;
    const double* shared_row(std::size_t i);

   private:
    GramInput input_;
    std::vector<int> class_of_;
    std::vector<double> transposed_;  // [dimension][n]
    std::unique_ptr<double[]> rows_;  // uninitialised: pages that no row touches cost nothing
    std::unique_ptr<std::atomic<unsigned char>[]> state_;
};

// One thread's view of a Gram: pointers stay valid until the next call of row().
class GramReader {
   public:
    GramReader(Gram& gram, int readers);
    const double* row(std::size_t i);

   private:
    Gram& gram_;
    std::size_t capacity_ = 0;
    std::size_t clock_ = 0;
    std::unique_ptr<double[]> rows_;       // uninitialised, as above
    std::vector<std::ptrdiff_t> slot_of_;  // [n] -1: not kept
    std::vector<std::size_t> point_in_;    // [capacity]
    std::vector<std::size_t> used_;        // [capacity] when last
};

// Scalar products of scaled points, half of whose squared norms are a and b, become Gaussian values:
// values[i][j] = exp(min(values[i][j] - (a[i] + b[j]), 0)).
void gaussian_of_products(double* values, std::size_t rows, std::size_t columns, const double* a, const double* b);

}  // namespace parzen
