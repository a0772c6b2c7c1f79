// The kernels that the core knows: one row each in PARZEN_KERNELS.
//
// The binding, the strategies and the native tests are generated from this table. To add a kernel:
//
//   1. write its formula in src/core/formulas.hpp (or reuse one), and
//   2. add its row here.
//
// Whatever else has to know it (the reference of the native tests) then fails to compile until it does.
#pragma once

namespace parzen {

// The measure u of a pair of points that a kernel is a function of.
enum class Measure {
    squared_distance,  // r^2
    distance,          // r, the root of the squared distance
    l1_distance,       // |dx|_1
    inner_product,     // x.y
};

// How the values behave far from the point.
enum class Tail {
    exponential,  // exp(-c u): halving the scale of u squares the value; the nearest value can be factored out
    positive,     // positive everywhere: the nearest value can be factored out
    compact,      // 0 beyond one bandwidth
    unbounded,    // grows with the measure
};

// Columns of a row:
//   name     under which Python finds the kernel
//   formula  struct of src/core/formulas.hpp that computes its values
//   measure  Measure that the formula takes
//   tail     Tail of its values
//   tree     whether src/tree has bounds for it: decreasing and convex in u, with derivatives of alternating sign
//   sorted   whether src/sums/sorted.cpp sums it in one dimension
// clang-format off
#define PARZEN_KERNELS(KERNEL)                                                                                       \
    /*     name                  formula              measure           tail         tree   sorted */               \
    KERNEL(gaussian,             Gaussian,            squared_distance, exponential, true,  false)                   \
    KERNEL(laplacian,            Laplacian,           l1_distance,      exponential, true,  true)                    \
    KERNEL(radial_laplacian,     Laplacian,           distance,         exponential, true,  true)                    \
    KERNEL(rational,             Rational,            squared_distance, positive,    true,  false)                   \
    KERNEL(uniform,              Uniform,             squared_distance, compact,     true,  true)                    \
    KERNEL(triangular,           Triangular,          distance,         compact,     true,  true)                    \
    KERNEL(epanechnikov,         Epanechnikov,        squared_distance, compact,     true,  true)                    \
    KERNEL(biweight,             Biweight,            squared_distance, compact,     false, false)                   \
    KERNEL(triweight,            Triweight,           squared_distance, compact,     false, false)                   \
    KERNEL(tricube,              Tricube,             distance,         compact,     false, false)                   \
    KERNEL(cosine,               Cosine,              squared_distance, compact,     false, false)                   \
    KERNEL(logistic,             Logistic,            distance,         positive,    false, false)                   \
    KERNEL(gaussian_exponential, GaussianExponential, squared_distance, positive,    false, false)                   \
    KERNEL(polynomial,           Polynomial,          inner_product,    unbounded,   false, false)
// clang-format on

#define PARZEN_ENUMERATE(name, formula, measure, tail, tree, sorted) name,
enum class Profile { PARZEN_KERNELS(PARZEN_ENUMERATE) };
#undef PARZEN_ENUMERATE

struct KernelRow {
    const char* name;
    Measure measure;
    Tail tail;
    bool tree;
    bool sorted;
};

// The table, in the order of Profile.
#define PARZEN_ROW(name, formula, measure, tail, tree, sorted) {#name, Measure::measure, Tail::tail, tree, sorted},
inline constexpr KernelRow kernel_rows[] = {PARZEN_KERNELS(PARZEN_ROW)};
#undef PARZEN_ROW
inline constexpr int kernel_count = sizeof(kernel_rows) / sizeof(kernel_rows[0]);

constexpr const KernelRow& row_of(Profile p) { return kernel_rows[static_cast<int>(p)]; }
constexpr Measure measure_of(Profile p) { return row_of(p).measure; }
constexpr bool is_exponential(Profile p) { return row_of(p).tail == Tail::exponential; }
constexpr bool is_compact(Profile p) { return row_of(p).tail == Tail::compact; }
constexpr bool needs_root(Profile p) { return measure_of(p) == Measure::distance; }

// Whether the value of a row's nearest point can be factored out of its sum, so that nothing underflows.
constexpr bool can_factor(Profile p) { return row_of(p).tail == Tail::exponential || row_of(p).tail == Tail::positive; }

// A kernel with its parameters. Values are in units of the kernel's peak.
struct Kernel {
    Profile profile = Profile::gaussian;
    double power = 1.0;     // rational: a multiple of 1/2
    double epsilon = 0.0;   // gaussian_exponential, in units of the bandwidth
    double constant = 0.0;  // polynomial
    int degree = 1;         // polynomial
};

// Fills `kernel` with the kernel of that name and its parameters. Returns null, or a sentence that says what is wrong.
const char* find_kernel(const char* name, const double* parameters, int count, Kernel& kernel);

// The number that the inner loops take in place of the bandwidth: h, h^2, or an exponent of 2 per unit u.
double bandwidth_scale(const Kernel& kernel, double bandwidth);

// log of the value at u in units of the peak, in double precision, for kernels that can_factor; 0 for the others.
double log_value(const Kernel& kernel, double u, double bandwidth);

}  // namespace parzen
