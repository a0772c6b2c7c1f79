// Random problems for kernel_sums, and the answer worked out plainly in long double.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "parzen/sums.hpp"
#include "parzen/tile.hpp"

namespace problem {

template <class T>
struct Problem {
    std::size_t n_queries = 0, n_points = 0;
    int dimension = 0, columns = 1, depth = 1;
    std::vector<T> queries, points, weights, factors;
    std::vector<int> labels;
    parzen::Kernel kernel;
    std::vector<double> bandwidths, log_normalizers;
    bool same = false, exclude_self = false;
    bool sorted = false;  // solved by sorted_sums

    parzen::SumsInput<T> input() const;
    std::size_t width() const { return static_cast<std::size_t>(columns) * bandwidths.size(); }
    // Weight of point j in a column at a bandwidth, whichever way the weights are given.
    long double weight(std::size_t j, int column, std::size_t b) const;
};

// Standard normal points, queries and an irregular grid that holds a geometric one.
template <class T>
Problem<T> make(std::size_t n_queries, std::size_t n_points, int dimension, parzen::Kernel kernel, unsigned seed = 1);
template <class T>
Problem<T> make_same(std::size_t n, int dimension, parzen::Kernel kernel, unsigned seed = 1);

// Weights with zeros, so that the columns share some points and not others; signed on request.
template <class T>
void add_columns(Problem<T>& p, int columns, int depth, bool is_signed);
template <class T>
void add_labels(Problem<T>& p, int columns, bool weighted);

template <class T>
struct Sums {
    std::vector<T> values, log_scale;
};

template <class T>
Sums<T> solve(const Problem<T>& p, parzen::Mode mode, int threads = 1);

// Checks solve(p, mode) against long double with the promised error: 1e-12 (1 + |log|) in double
// precision, 1e-5 in single.
template <class T>
void check_against_reference(const Problem<T>& p, parzen::Mode mode);

// log of the kernel in units of its peak, in long double; `measure` is the squared distance, or the L1 distance
// of the kernels that depend on it.
long double log_kernel(const parzen::Kernel& kernel, long double measure, long double bandwidth);

// One kernel of every row of the table, with parameters as the library uses them in this dimension.
std::vector<parzen::Kernel> kernels(int dimension);
std::string name(parzen::Profile profile);
std::string name(parzen::Mode mode);
std::vector<parzen::Mode> modes(const parzen::Kernel& kernel);

// Standard normal numbers.
template <class T>
std::vector<T> normal(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> draw;
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(draw(random));
    return values;
}

// Runs `body` once for each instruction set that this processor has, and says which it lacks.
void for_each_instruction_set(const std::function<void()>& body);

}  // namespace problem
