// What every binding needs: array types, checks, and a way to run the core without the interpreter lock.
//
// The bindings check whatever the core indexes by (shapes, labels, ranges) before anything is read, so that no
// call from Python, however wrong, reads or writes out of bounds.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

#include "parzen/parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

// C-contiguous arrays in main memory: one that is read, one that is written.
template <class T, int dimensions>
using In = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int dimensions>
using Out = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// The core counts coordinates, columns and bandwidths with int; this leaves room for products with tile sizes.
inline constexpr std::size_t largest_count = 1 << 20;
// The core numbers points with 32 bits where it makes trees.
inline constexpr std::size_t largest_tree = std::numeric_limits<std::int32_t>::max();

inline void require(bool condition, const char* message) {
    if (!condition) throw nb::value_error(message);
}

// Numbers that the core sorts by: the order of NaN is undefined, and sorting by it may leave the array.
template <class T>
void require_finite(const T* values, std::size_t count, const char* message) {
    for (std::size_t i = 0; i < count; ++i) require(std::isfinite(values[i]), message);
}

// First points of the classes, as [classes + 1] offsets that begin with 0, ascend and end with n.
inline void require_class_starts(const In<std::uint64_t, 1>& starts, std::size_t n) {
    static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
    require(starts.shape(0) > 1 && starts.shape(0) <= largest_count, "starts must have one more entry than classes");
    const std::uint64_t* s = starts.data();
    const std::size_t classes = starts.shape(0) - 1;
    require(s[0] == 0 && s[classes] == n, "starts must begin with 0 and end with the number of points");
    for (std::size_t c = 0; c < classes; ++c) require(s[c] <= s[c + 1], "starts must not descend");
}

// Whether the work should stop because Python has raised an exception or been interrupted.
bool interrupted();
// The same, and tells parzen._core.progress how much of the pass is done.
bool interrupted_or_reported(const parzen::Control& control);

// Runs `work(control)` without the interpreter lock; an interruption surfaces as KeyboardInterrupt.
template <class Work>
void without_lock(int threads, Work work, std::function<bool()> poll = interrupted) {
    parzen::Control control(threads, std::move(poll));
    try {
        const nb::gil_scoped_release release;
        work(control);
    } catch (const parzen::Interrupted&) {
        throw nb::python_error();  // the handler's exception is already set
    }
}

// The same for one pass over pairs, which reports its progress.
template <class Work>
void pass_without_lock(int threads, Work work) {
    const parzen::Control* pass = nullptr;
    without_lock(
        threads,
        [&](parzen::Control& control) {
            pass = &control;
            work(control);
        },
        [&] { return interrupted_or_reported(*pass); });
}

void bind_processor(nb::module_& m);
void bind_sums(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_simplex(nb::module_& m);
void bind_metric(nb::module_& m);
void bind_conformal(nb::module_& m);
void bind_anova(nb::module_& m);
void bind_gaps(nb::module_& m);
void bind_products(nb::module_& m);
void bind_reflections(nb::module_& m);
