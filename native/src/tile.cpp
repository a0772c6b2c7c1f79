// One instruction set's inner loops. CMake compiles this file several times with other flags and
// another PARZEN_ISA; everything sits in an anonymous namespace, and nothing from the standard
// library is instantiated, so that no function compiled for one processor is linked into the
// code of another.
#include "parzen/tile.hpp"

// Pins a vector to a register: the compiler can neither fold it into memory operands nor move it.
#if defined(__x86_64__) && defined(__AVX512F__)
#define PARZEN_OPAQUE(v) asm volatile("" : "+v"(v))
#elif defined(__x86_64__)
#define PARZEN_OPAQUE(v) asm volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define PARZEN_OPAQUE(v) asm volatile("" : "+w"(v))
#else
#define PARZEN_OPAQUE(v)
#endif

#define PARZEN_INLINE inline __attribute__((always_inline))

namespace {

using parzen::BandwidthPlan;
using parzen::Form;
using parzen::PairTask;
using parzen::Profile;
using parzen::RowTask;
using parzen::tile_rows;
using parzen::TileOps;

constexpr int bytes = PARZEN_VECTOR_BYTES;

template <class T>
struct Traits;

template <>
struct Traits<double> {
    typedef double V __attribute__((vector_size(bytes)));
    typedef double Loose __attribute__((vector_size(bytes), aligned(sizeof(double))));
    typedef long long I __attribute__((vector_size(bytes)));
    static constexpr int mantissa_bits = 52;
    static constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to integers
    static constexpr double smallest_exponent = -1021.0;
    static constexpr double huge = 1e300;
    static constexpr long long absolute_mask = 0x7fffffffffffffffLL;
    static constexpr int degree = 10;
    // Chebyshev fit of 2^f on [-1/2, 1/2]; largest error 2.2e-16.
    static constexpr double coefficients[degree + 1] = {
        1.0,
        0.69314718055994998286,
        0.2402265069591009822,
        0.055504108664447719166,
        0.0096181291076068885273,
        0.0013333558230164973899,
        0.00015403530441736050155,
        0.000015252657260200837064,
        1.3215442587921689653e-6,
        1.0208690299958305835e-7,
        7.0725859492692236999e-9,
    };
};

template <>
struct Traits<float> {
    typedef float V __attribute__((vector_size(bytes)));
    typedef float Loose __attribute__((vector_size(bytes), aligned(sizeof(float))));
    typedef int I __attribute__((vector_size(bytes)));
    static constexpr int mantissa_bits = 23;
    static constexpr float shifter = 12582912.0f;  // 1.5 * 2^23
    static constexpr float smallest_exponent = -125.0f;
    static constexpr float huge = 1e37f;
    static constexpr int absolute_mask = 0x7fffffff;
    static constexpr int degree = 6;
    // Chebyshev fit of 2^f on [-1/2, 1/2]; largest error 2.0e-9.
    static constexpr float coefficients[degree + 1] = {
        1.0f, 0.693147206703f, 0.240226509223f, 0.0555032722667f, 0.00961805667852f, 0.00134004281776f, 0.000154614446986f
    };
};

template <class T>
using Vec = typename Traits<T>::V;

// A vector that may start at any element. Not copied through memcpy: that may alias everything,
// and the compiler would read the plan again after every store.
template <class T>
using Loose = typename Traits<T>::Loose;

template <class T>
constexpr int lanes = bytes / static_cast<int>(sizeof(T));

template <class T>
constexpr int panel_vectors = 3;

template <class T>
PARZEN_INLINE Vec<T> load(const T* p) {
    return *reinterpret_cast<const Loose<T>*>(p);
}

template <class T>
PARZEN_INLINE void store(T* p, Vec<T> v) {
    *reinterpret_cast<Loose<T>*>(p) = v;
}

template <class T>
PARZEN_INLINE Vec<T> splat(T x) {
    return Vec<T>{} + x;
}

// Written as one expression so that it contracts to a fused multiply-add where there is one.
template <class T>
PARZEN_INLINE Vec<T> multiply_add(Vec<T> a, Vec<T> b, Vec<T> c) {
    return a * b + c;
}

// GCC and Clang both turn this pattern into the machine's minimum and maximum.
template <class T>
PARZEN_INLINE Vec<T> smaller(Vec<T> a, Vec<T> b) {
    return a < b ? a : b;
}

template <class T>
PARZEN_INLINE Vec<T> larger(Vec<T> a, Vec<T> b) {
    return a > b ? a : b;
}

template <class T>
PARZEN_INLINE Vec<T> absolute(Vec<T> a) {
    using I = typename Traits<T>::I;
    return (Vec<T>)((I)a & (I{} + Traits<T>::absolute_mask));
}

template <class T>
PARZEN_INLINE Vec<T> square_root(Vec<T> a) {
    for (int i = 0; i < lanes<T>; ++i) {
        a[i] = sizeof(T) == 8 ? static_cast<T>(__builtin_sqrt(a[i]))
                              : static_cast<T>(__builtin_sqrtf(static_cast<float>(a[i])));
    }
    return a;
}

template <class T>
PARZEN_INLINE double add(Vec<T> v) {
    double sum = 0;
    for (int i = 0; i < lanes<T>; ++i) sum += static_cast<double>(v[i]);
    return sum;
}

// 2^t for t below 1000; exactly 0 below the smallest normal number, minus infinity included.
// Round t to an integer n by adding a large constant, take a polynomial in f = t - n, and add n to
// the exponent bits. Out of range the bits are nonsense and are masked away. Several vectors go
// through the stages side by side, and even and odd powers are summed apart: the processor then
// always has independent multiplications at hand.
template <class T, int width>
PARZEN_INLINE void exp2_clipped(Vec<T> (&t)[width]) {
    using Tr = Traits<T>;
    using I = typename Tr::I;
    static_assert(Tr::degree % 2 == 0);
    Vec<T> shifted[width], f[width], f2[width], even[width], odd[width];
    for (int i = 0; i < width; ++i) shifted[i] = t[i] + Tr::shifter;
    for (int i = 0; i < width; ++i) f[i] = t[i] - (shifted[i] - Tr::shifter);
    for (int i = 0; i < width; ++i) f2[i] = f[i] * f[i];
    for (int i = 0; i < width; ++i) {
        even[i] = splat<T>(Tr::coefficients[Tr::degree]);
        odd[i] = splat<T>(Tr::coefficients[Tr::degree - 1]);
    }
    for (int k = Tr::degree - 2; k >= 0; k -= 2) {
        Vec<T> c = splat<T>(Tr::coefficients[k]);
        PARZEN_OPAQUE(c);  // loaded once for all vectors: the load units are the bottleneck otherwise
        for (int i = 0; i < width; ++i) even[i] = multiply_add<T>(even[i], f2[i], c);
        if (k == 0) break;
        c = splat<T>(Tr::coefficients[k - 1]);
        PARZEN_OPAQUE(c);
        for (int i = 0; i < width; ++i) odd[i] = multiply_add<T>(odd[i], f2[i], c);
    }
    for (int i = 0; i < width; ++i) {
        const Vec<T> p = multiply_add<T>(odd[i], f[i], even[i]);
        const I scaled = (I)p + ((I)shifted[i] << Tr::mantissa_bits);
        t[i] = (Vec<T>)(scaled & (I)(t[i] > Tr::smallest_exponent));
    }
}

template <class T>
PARZEN_INLINE Vec<T> integer_power(Vec<T> x, int n) {
    Vec<T> result = splat<T>(1);
    for (; n > 0; n >>= 1) {
        if (n & 1) result *= x;
        x *= x;
    }
    return result;
}

// ---- distances ------------------------------------------------------------------------------

template <class T, Form form>
PARZEN_INLINE void distance_panel(const T* q, const T* query_norms, const T* p, const T* point_norms,
                           int dimension, T* u, int ldu) {
    constexpr int C = panel_vectors<T>;
    constexpr int L = lanes<T>;
    Vec<T> acc[tile_rows][C];
    for (int r = 0; r < tile_rows; ++r) {
        for (int c = 0; c < C; ++c) {
            acc[r][c] = form == Form::dot ? load<T>(point_norms + c * L) + query_norms[r] : Vec<T>{};
        }
    }
    for (int k = 0; k < dimension; ++k, q += tile_rows, p += C * L) {
        Vec<T> x[C];
        for (int c = 0; c < C; ++c) x[c] = load<T>(p + c * L);
        for (int r = 0; r < tile_rows; ++r) {
            const Vec<T> y = splat<T>(q[r]);
            for (int c = 0; c < C; ++c) {
                if constexpr (form == Form::dot || form == Form::inner) {
                    acc[r][c] = multiply_add<T>(y, x[c], acc[r][c]);
                } else if constexpr (form == Form::difference) {
                    const Vec<T> difference = y - x[c];
                    acc[r][c] = multiply_add<T>(difference, difference, acc[r][c]);
                } else {
                    acc[r][c] += absolute<T>(y - x[c]);
                }
            }
        }
    }
    for (int r = 0; r < tile_rows; ++r) {
        for (int c = 0; c < C; ++c) {
            if constexpr (form == Form::dot) acc[r][c] = larger<T>(acc[r][c], Vec<T>{});
            store<T>(u + r * ldu + c * L, acc[r][c]);
        }
    }
}

template <class T, Form form>
void distance_panels(const T* q, const T* query_norms, const T* p, const T* point_norms, int panels,
                     int dimension, T* u, int ldu) {
    constexpr int width = panel_vectors<T> * lanes<T>;
    for (int i = 0; i < panels; ++i) {
        distance_panel<T, form>(q, query_norms, p, point_norms, dimension, u, ldu);
        p += static_cast<std::ptrdiff_t>(dimension) * width;
        point_norms += width;
        u += width;
    }
}

template <class T>
void distances(Form form, const T* q, const T* qn, const T* p, const T* pn, int panels, int dimension,
               T* u, int ldu) {
    switch (form) {
        case Form::difference:
            return distance_panels<T, Form::difference>(q, qn, p, pn, panels, dimension, u, ldu);
        case Form::dot:
            return distance_panels<T, Form::dot>(q, qn, p, pn, panels, dimension, u, ldu);
        case Form::absolute:
            return distance_panels<T, Form::absolute>(q, qn, p, pn, panels, dimension, u, ldu);
        case Form::inner:
            return distance_panels<T, Form::inner>(q, qn, p, pn, panels, dimension, u, ldu);
    }
}

template <class T>
void root(T* u, int count) {
    for (int j = 0; j < count; j += lanes<T>) store<T>(u + j, square_root<T>(load<T>(u + j)));
}

template <class T>
T minimum(const T* u, int count) {
    Vec<T> m = load<T>(u);
    for (int j = lanes<T>; j < count; j += lanes<T>) m = smaller<T>(m, load<T>(u + j));
    T result = m[0];
    for (int i = 1; i < lanes<T>; ++i) result = m[i] < result ? m[i] : result;
    return result;
}

// ---- kernel values --------------------------------------------------------------------------

// The values of `width` vectors at one step of the plan, relative to the value at `reference`.
template <class T, Profile profile, int width>
PARZEN_INLINE void evaluate(const BandwidthPlan<T>& plan, T reference, int step, const Vec<T> (&u)[width],
                     Vec<T> (&k)[width]) {
    const T scale = plan.scale[step];
    if constexpr (parzen::is_exponential(profile)) {
        const Vec<T> slope = splat<T>(scale), offset = splat<T>(-scale * reference);
        for (int i = 0; i < width; ++i) k[i] = multiply_add<T>(u[i], slope, offset);
        exp2_clipped<T, width>(k);
    } else if constexpr (profile == Profile::gaussian_exponential) {
        constexpr T near_scale = static_cast<T>(-0.72134752044448170368);  // -log2(e) / 2
        constexpr T far_scale = static_cast<T>(-1.0201394465967894961);    // -log2(e) / sqrt(2)
        const T epsilon = static_cast<T>(plan.kernel.epsilon);
        const T root = static_cast<T>(__builtin_sqrt(reference)) / scale;  // scale is h
        const T base = root <= epsilon ? root * root * near_scale : root * far_scale;
        for (int i = 0; i < width; ++i) {
            const Vec<T> r = square_root<T>(u[i]) / scale;
            k[i] = (r <= epsilon ? r * r * near_scale : r * far_scale) - base;
        }
        exp2_clipped<T, width>(k);
    } else if constexpr (profile == Profile::rational) {
        const int twice = static_cast<int>(2 * plan.kernel.power);
        for (int i = 0; i < width; ++i) {
            const Vec<T> ratio = (scale + reference) / (u[i] + scale);
            k[i] = integer_power<T>(ratio, twice / 2);
            if (twice % 2) k[i] *= square_root<T>(ratio);
        }
    } else if constexpr (profile == Profile::uniform) {
        using I = typename Traits<T>::I;
        for (int i = 0; i < width; ++i) k[i] = (Vec<T>)((I)splat<T>(1) & (I)(u[i] <= scale));
    } else if constexpr (profile == Profile::triangular || profile == Profile::epanechnikov) {
        for (int i = 0; i < width; ++i) k[i] = larger<T>(splat<T>(1) - u[i] / scale, Vec<T>{});
    } else {
        const T constant = static_cast<T>(plan.kernel.constant);
        for (int i = 0; i < width; ++i) k[i] = integer_power<T>(u[i] + constant, plan.kernel.degree);
    }
}

// Runs `use(values, bandwidth)` for every bandwidth, squaring along the chains of the plan.
template <class T, Profile profile, int width, class Use>
PARZEN_INLINE void for_each_bandwidth(const BandwidthPlan<T>& plan, T reference, const Vec<T> (&u)[width], Use use) {
    for (int step = 0; step < plan.count;) {
        Vec<T> k[width];
        evaluate<T, profile, width>(plan, reference, step, u, k);
        for (;;) {
            use(k, plan.order[step]);
            if (++step == plan.count || !plan.squared[step]) break;
            for (int i = 0; i < width; ++i) k[i] *= k[i];
        }
    }
}

// `width` vectors of one row through every bandwidth and column; the running sums stay in scratch.
template <class T, Profile profile, int width, bool single>
PARZEN_INLINE void accumulate_vectors(const BandwidthPlan<T>& plan, const RowTask<T>& task, int j) {
    constexpr int L = lanes<T>;
    Vec<T> u[width];
    for (int i = 0; i < width; ++i) u[i] = load<T>(task.u + j + i * L);
    for_each_bandwidth<T, profile, width>(plan, task.reference, u, [&](const Vec<T>(&k)[width], int b) {
        const T* w = task.weights + (task.depth > 1 ? b * task.stride : 0) + j;
        T* sums = task.scratch + b * L;
        for (int c = 0; c < (single ? 1 : task.columns); ++c) {
            Vec<T> sum = load<T>(sums);
            for (int i = 0; i < width; ++i) sum = multiply_add<T>(load<T>(w + i * L), k[i], sum);
            store<T>(sums, sum);
            w += task.depth * task.stride;
            sums += plan.count * L;
        }
    });
}

template <class T, Profile profile, bool single>
void accumulate_many(const BandwidthPlan<T> plan, const RowTask<T> task) {
    constexpr int L = lanes<T>;
    constexpr int width = 3;
    int j = 0;
    for (; j + width * L <= task.points; j += width * L)
        accumulate_vectors<T, profile, width, single>(plan, task, j);
    for (; j < task.points; j += L) accumulate_vectors<T, profile, 1, single>(plan, task, j);
    for (int i = 0; i < task.columns * plan.count; ++i) {
        task.out[i] += add<T>(load<T>(task.scratch + i * L));
        store<T>(task.scratch + i * L, Vec<T>{});
    }
}

// One bandwidth and one column, the common case: the sums stay in registers.
template <class T, Profile profile, int width>
PARZEN_INLINE Vec<T> weighted(const BandwidthPlan<T>& plan, const RowTask<T>& task, int j, Vec<T> sum) {
    constexpr int L = lanes<T>;
    Vec<T> u[width], k[width];
    for (int i = 0; i < width; ++i) u[i] = load<T>(task.u + j + i * L);
    evaluate<T, profile, width>(plan, task.reference, 0, u, k);
    for (int i = 0; i < width; ++i) sum = multiply_add<T>(load<T>(task.weights + j + i * L), k[i], sum);
    return sum;
}

template <class T, Profile profile>
void accumulate_one(const BandwidthPlan<T>& plan, const RowTask<T>& task) {
    constexpr int L = lanes<T>;
    constexpr int width = 3;
    Vec<T> sum{};
    int j = 0;
    for (; j + width * L <= task.points; j += width * L) sum = weighted<T, profile, width>(plan, task, j, sum);
    for (; j < task.points; j += L) sum = weighted<T, profile, 1>(plan, task, j, sum);
    task.out[0] += add<T>(sum);
}

template <class T, Profile profile>
void accumulate_row(const BandwidthPlan<T>& plan, const RowTask<T>& task) {
    if (task.columns > 1) return accumulate_many<T, profile, false>(plan, task);
    if (plan.count > 1) return accumulate_many<T, profile, true>(plan, task);
    accumulate_one<T, profile>(plan, task);
}

// Rows by vectors that share a value register each; the sums of both sides live in memory.
template <class T, Profile profile, int width, bool single>
PARZEN_INLINE void accumulate_both_vectors(const BandwidthPlan<T>& plan, const PairTask<T>& task, int j) {
    constexpr int L = lanes<T>;
    Vec<T> u[tile_rows * width];
    for (int r = 0; r < tile_rows; ++r) {
        for (int i = 0; i < width; ++i) u[r * width + i] = load<T>(task.u + r * task.ldu + j + i * L);
    }
    for_each_bandwidth<T, profile, tile_rows * width>(plan, T(0), u, [&](const auto& k, int b) {
        for (int c = 0; c < (single ? 1 : task.row_columns); ++c) {
            const T* w = task.row_weights + c * tile_rows;
            T* sums = task.point_sums + (c * plan.count + b) * task.point_sums_stride + j;
            for (int i = 0; i < width; ++i) {
                Vec<T> sum = load<T>(sums + i * L);
                for (int r = 0; r < tile_rows; ++r) sum = multiply_add<T>(splat<T>(w[r]), k[r * width + i], sum);
                store<T>(sums + i * L, sum);
            }
        }
        for (int c = 0; c < (single ? 1 : task.point_columns); ++c) {
            const T* w = task.point_weights + c * task.stride + j;
            for (int r = 0; r < tile_rows; ++r) {
                T* sums = task.row_sums + ((r * task.point_columns + c) * plan.count + b) * L;
                Vec<T> sum = load<T>(sums);
                for (int i = 0; i < width; ++i) sum = multiply_add<T>(load<T>(w + i * L), k[r * width + i], sum);
                store<T>(sums, sum);
            }
        }
    });
}

template <class T, Profile profile, bool single>
void accumulate_both(const BandwidthPlan<T> plan, const PairTask<T> task) {
    constexpr int L = lanes<T>;
    int j = 0;
    for (; j + 2 * L <= task.points; j += 2 * L)
        accumulate_both_vectors<T, profile, 2, single>(plan, task, j);
    if (j < task.points) accumulate_both_vectors<T, profile, 1, single>(plan, task, j);
}

template <class T, Profile profile>
void accumulate_tile(const BandwidthPlan<T>& plan, const PairTask<T>& task) {
    if (task.row_columns == 1 && task.point_columns == 1) return accumulate_both<T, profile, true>(plan, task);
    accumulate_both<T, profile, false>(plan, task);
}

// Calls `function.template operator()<profile>()` for the profile known at run time.
template <class Function>
void with_profile(Profile profile, Function function) {
    switch (profile) {
        case Profile::gaussian:
        case Profile::laplacian:
        case Profile::radial_laplacian:
            return function.template operator()<Profile::gaussian>();
        case Profile::rational:
            return function.template operator()<Profile::rational>();
        case Profile::uniform:
            return function.template operator()<Profile::uniform>();
        case Profile::triangular:
        case Profile::epanechnikov:
            return function.template operator()<Profile::epanechnikov>();
        case Profile::gaussian_exponential:
            return function.template operator()<Profile::gaussian_exponential>();
        case Profile::polynomial:
            return function.template operator()<Profile::polynomial>();
    }
}

template <class T>
void accumulate(const BandwidthPlan<T>& plan, const RowTask<T>& task) {
    with_profile(plan.kernel.profile, [&]<Profile p>() { accumulate_row<T, p>(plan, task); });
}

template <class T>
void accumulate_pairs(const BandwidthPlan<T>& plan, const PairTask<T>& task) {
    with_profile(plan.kernel.profile, [&]<Profile p>() { accumulate_tile<T, p>(plan, task); });
}

template <class T>
double add_lanes(const T* p) {
    return add<T>(load<T>(p));
}

// ---- the limit that the benchmark measures -----------------------------------------------------

template <class T>
T peak_multiply_add(std::ptrdiff_t count) {
    constexpr int chains = 12;
    Vec<T> acc[chains];
    for (int c = 0; c < chains; ++c) acc[c] = splat<T>(static_cast<T>(c));
    Vec<T> a = splat<T>(static_cast<T>(0.999999)), b = splat<T>(static_cast<T>(1e-6));
    for (std::ptrdiff_t i = 0; i < count; i += chains) {
        PARZEN_OPAQUE(a);  // keep the loop from being folded
        for (int c = 0; c < chains; ++c) acc[c] = multiply_add<T>(acc[c], a, b);
    }
    Vec<T> sum{};
    for (int c = 0; c < chains; ++c) sum += acc[c];
    return sum[0];
}

template <class T>
T sum_exponentials(const T* u, int count, T scale) {
    constexpr int L = lanes<T>;
    constexpr int width = 3;
    Vec<T> sum{};
    for (int j = 0; j + width * L <= count; j += width * L) {
        Vec<T> t[width];
        for (int i = 0; i < width; ++i) t[i] = load<T>(u + j + i * L) * scale;
        exp2_clipped<T, width>(t);
        for (int i = 0; i < width; ++i) sum += t[i];
    }
    return sum[0];
}

template <class T>
constexpr TileOps<T> table = {
    lanes<T>,           panel_vectors<T> * lanes<T>, &distances<T>,         &root<T>,
    &minimum<T>,        &accumulate<T>,              &accumulate_pairs<T>,  &add_lanes<T>,
    &peak_multiply_add<T>, &sum_exponentials<T>,
};

}  // namespace

#define PARZEN_JOIN2(a, b) a##b
#define PARZEN_JOIN(a, b) PARZEN_JOIN2(a, b)

namespace parzen {

extern const TileOps<float>* const PARZEN_JOIN(tile_float_, PARZEN_ISA) = &table<float>;
extern const TileOps<double>* const PARZEN_JOIN(tile_double_, PARZEN_ISA) = &table<double>;

}  // namespace parzen
