// What of a pair a kernel depends on, and how its value follows from that.
//
// Every kernel is evaluated in units of its peak. "u" is the measure of a pair
// after the square root where the profile asks for one:
//
//   gaussian              u = r^2      exp(-u / 2h^2)
//   laplacian             u = |dx|_1   exp(-u / h)
//   radial_laplacian      u = r        exp(-u / h)
//   rational              u = r^2      (1 + u / h^2)^(-power)      cauchy, inverse quadratic
//   uniform               u = r^2      1 for u <= h^2
//   triangular            u = r        1 - u / h, not below 0
//   epanechnikov          u = r^2      1 - u / h^2, not below 0
//   gaussian_exponential  u = r^2      gaussian for r <= epsilon h, exp(-r / (sqrt2 h)) beyond
//   polynomial            u = x.y      (u + constant)^degree, no bandwidth
#pragma once

namespace parzen {

enum class Profile {
    gaussian,
    laplacian,
    radial_laplacian,
    rational,
    uniform,
    triangular,
    epanechnikov,
    gaussian_exponential,
    polynomial,
};

// How the measure is computed: by differences, by |x|^2 + |y|^2 - 2xy, as a sum of |dx|, or as x.y.
enum class Form { difference, dot, absolute, inner };

struct Kernel {
    Profile profile = Profile::gaussian;
    double power = 1.0;     // rational: a multiple of 1/2
    double epsilon = 0.0;   // gaussian_exponential, in units of the bandwidth
    double constant = 0.0;  // polynomial
    int degree = 1;         // polynomial
};

// The kernels whose value is an exponential of u times a power of the bandwidth: these can be
// squared along a grid, and never underflow once the smallest u of a row is factored out.
constexpr bool is_exponential(Profile p) {
    return p == Profile::gaussian || p == Profile::laplacian || p == Profile::radial_laplacian;
}

constexpr bool is_compact(Profile p) {
    return p == Profile::uniform || p == Profile::triangular || p == Profile::epanechnikov;
}

constexpr bool needs_root(Profile p) { return p == Profile::radial_laplacian || p == Profile::triangular; }

// Whether a row's largest value can be factored out. A compact kernel has no tail to lose.
constexpr bool can_factor(Profile p) { return !is_compact(p) && p != Profile::polynomial; }

// log of the value at u, in double precision, one pair at a time: rescaling and final results.
double log_profile(const Kernel& kernel, double u, double bandwidth);

}  // namespace parzen
