#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/order.hpp"
#include "parzen/simplex_qp.hpp"
#include "simplex/loops.hpp"
#include "simplex/working_set.hpp"

namespace parzen {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double slight_overlap = 1.5;          // mean row sum of K up to which kernels hardly overlap
constexpr std::size_t sampled_rows = 8;         // rows from which the overlap is estimated
constexpr int max_stalls = 500;                 // rounds without progress: the tolerance is below rounding
constexpr double progress_ratio = 0.999;        // a round that leaves a larger share of the violation makes no progress
constexpr double inner_tolerance_share = 0.05;  // of the violation: how far one working set is solved

// The quantities of one class in the optimality conditions: at the optimum high <= low.
struct ClassState {
    double low = infinity;    // smallest gradient
    double high = -infinity;  // largest gradient among positive weights
    double scale = 0.0;       // max|G| + max|c|
    double mass = 0.0;
    double violation() const { return scale > 0 && high > low ? (high - low) / scale : 0.0; }
};

// One programme, from its start to its end.
class Programme {
   public:
    Programme(Gram& gram, GramReader& reader, const SimplexBatch& batch, std::size_t chain, SimplexProgress& progress,
              const Control& control)
        : gram_(gram),
          reader_(reader),
          batch_(batch),
          loops_(simplex_loops()),
          progress_(progress),
          control_(control),
          n_(gram.size()),
          classes_(gram.classes()),
          linear_(batch.linear + chain * n_),
          active_(batch.active ? batch.active + chain * n_ : nullptr),
          coupling_(batch.coupling + chain * classes_ * classes_),
          rates_(batch.rates ? batch.rates + chain * classes_ : nullptr),
          gradient_(n_),
          has_points_(static_cast<std::size_t>(classes_), 0),
          state_(static_cast<std::size_t>(classes_)),
          local_(loops_, gram, coupling_, rates_) {}

    void solve(double factor, std::size_t place) {
        weights_ = batch_.weights + place * n_;
        factor_ = factor;
        start();
        std::int64_t iterations = 0;
        int stalls = 0;
        double last = infinity;
        compute_gradient();
        bool fresh = true;
        while (!control_.stopped()) {
            const double violation = inspect();
            progress_.gap.store(violation, std::memory_order_relaxed);
            if (violation <= batch_.tolerance || iterations >= batch_.max_iterations || stalls >= max_stalls) {
                // The gradient was carried along: certify with one that is computed afresh.
                if (fresh) break;
                normalise();
                compute_gradient();
                fresh = true;
                if (stalls >= max_stalls) {
                    inspect();
                    break;
                }
                continue;
            }
            stalls = violation < progress_ratio * last ? 0 : stalls + 1;
            last = std::min(last, violation);
            const std::int64_t steps = improve(violation, batch_.max_iterations - iterations);
            if (steps == 0) stalls = max_stalls;
            iterations += steps;
            progress_.iterations.fetch_add(steps, std::memory_order_relaxed);
            fresh = false;
        }
        report(place, iterations);
    }

   private:
    bool takes_part(std::size_t i) const { return active_ == nullptr || active_[i] != 0; }
    double coupling(int c, int e) const { return coupling_[c * classes_ + e]; }

    // Where no start was given: the exact solution for Q = diagonal when kernels hardly overlap;
    // otherwise the single point with the largest linear term, so that rows are computed for points
    // that matter only.
    void start() {
        for (int c = 0; c < classes_; ++c) {
            std::vector<std::size_t> points;
            has_points_[c] = 0;
            double sum = 0.0;
            for (std::size_t i = gram_.start(c); i < gram_.start(c + 1); ++i) {
                if (!takes_part(i)) {
                    weights_[i] = 0.0;
                    continue;
                }
                sum += weights_[i];
                points.push_back(i);
                has_points_[c] = 1;
            }
            if (sum > 0.0 || points.empty()) continue;
            std::sort(points.begin(), points.end(),
                      [this](std::size_t i, std::size_t j) { return comes_before(-linear_[i], i, -linear_[j], j); });
            if (coupling(c, c) > 0.0 && overlap(points) < slight_overlap) {
                project(points, coupling(c, c));
            } else {
                weights_[points.front()] = 1.0;
            }
        }
        normalise();
    }

    // Mean of a few row sums: how many neighbours, itself included, a kernel of the class has.
    double overlap(const std::vector<std::size_t>& points) {
        const std::size_t rows = std::min(points.size(), sampled_rows);
        double total = 0.0;
        for (std::size_t k = 0; k < rows; ++k) {
            const double* row = reader_.row(points[k * points.size() / rows]);
            for (std::size_t i : points) total += row[i];
        }
        return total / static_cast<double>(rows);
    }

    // The minimiser of 1/2 diagonal |a|^2 - c'a over the simplex: a = max(c - level, 0) / diagonal. The points are
    // taken in descending order of c, the level with which they sum to one rising, until the next c is below it.
    void project(const std::vector<std::size_t>& falling, double diagonal) {
        double sum = 0.0, level = 0.0;
        for (std::size_t k = 0; k < falling.size(); ++k) {
            const double value = factor_ * linear_[falling[k]];
            if (k > 0 && value <= level) break;
            sum += value;
            level = (sum - diagonal) / static_cast<double>(k + 1);
        }
        for (std::size_t i : falling) weights_[i] = std::max(0.0, (factor_ * linear_[i] - level) / diagonal);
    }

    // Makes the constraints hold to the last digit: relaxed, for the t that the classes' sums have on average.
    void normalise() {
        std::vector<double> sums(static_cast<std::size_t>(classes_), 0.0);
        for (std::size_t i = 0; i < n_; ++i) sums[gram_.class_of(i)] += weights_[i];
        shortfall_ = 0.0;
        if (rates_ != nullptr) {
            double weighted = 0.0, total = 0.0;
            for (int c = 0; c < classes_; ++c) {
                if (!has_points_[c]) continue;
                weighted += (1.0 - sums[c]) / rates_[c];
                total += 1.0;
            }
            shortfall_ = std::clamp(weighted / total, 0.0, largest_shortfall());
        }
        for (int c = 0; c < classes_; ++c) {
            if (sums[c] <= 0.0) continue;
            const double wanted = rates_ ? std::max(0.0, 1.0 - rates_[c] * shortfall_) : 1.0;
            const double ratio = wanted / sums[c];
            if (ratio == 1.0) continue;
            for (std::size_t i = gram_.start(c); i < gram_.start(c + 1); ++i) weights_[i] *= ratio;
        }
    }

    double largest_shortfall() const { return 1.0 / *std::max_element(rates_, rates_ + classes_); }

    void compute_gradient() {
        for (std::size_t i = 0; i < n_; ++i) gradient_[i] = -factor_ * linear_[i];
        for (std::size_t i = 0; i < n_ && !control_.stopped(); ++i)
            if (weights_[i] > 0.0) add_row(i, weights_[i]);
    }

    void add_row(std::size_t i, double change) {
        const double* row = reader_.row(i);
        for (int c = 0; c < classes_; ++c) {
            const std::size_t begin = gram_.start(c);
            const double factor = change * coupling(gram_.class_of(i), c);
            if (factor != 0.0) loops_.add(gradient_.data() + begin, row + begin, factor, gram_.start(c + 1) - begin);
        }
    }

    // The optimality conditions over all points; returns the worst relative violation.
    double inspect() {
        for (int c = 0; c < classes_; ++c) {
            ClassState s;
            double steepest = 0.0, pull = 0.0;
            for (std::size_t i = gram_.start(c); i < gram_.start(c + 1); ++i) {
                if (!takes_part(i)) continue;
                const double g = gradient_[i];
                s.low = std::min(s.low, g);
                if (weights_[i] > 0.0) s.high = std::max(s.high, g);
                s.mass += weights_[i];
                steepest = std::max(steepest, std::abs(g));
                pull = std::max(pull, std::abs(factor_ * linear_[i]));
            }
            s.scale = steepest + pull;
            state_[c] = s;
        }
        double worst = 0.0;
        for (int c = 0; c < classes_; ++c) {
            // On a smaller scale the tolerance would ask for less than the rounding of a gradient.
            state_[c].scale = std::max(state_[c].scale, rounding(c) / std::max(batch_.tolerance, 1e-8));
            worst = std::max(worst, state_[c].violation());
        }
        return rates_ ? std::max(worst, joint_violation()) : worst;
    }

    // The rounding error of a gradient: where the classes' terms cancel, nothing else is left.
    double rounding(int c) const {
        double largest = 0.0;
        for (int e = 0; e < classes_; ++e) largest += std::abs(coupling(c, e)) * state_[e].mass;
        return 4 * std::numeric_limits<double>::epsilon() * largest;
    }

    // Relaxed: at the optimum neither adding weight to every class at once nor removing it lowers the objective.
    double joint_violation() const {
        double low = 0.0, high = 0.0, scale = 0.0;
        bool removable = true;
        for (int c = 0; c < classes_; ++c) {
            if (state_[c].low == infinity) continue;  // none of the class takes part
            low += rates_[c] * state_[c].low;
            high += rates_[c] * state_[c].high;
            scale += rates_[c] * state_[c].scale;
            removable = removable && state_[c].mass > 0.0;
        }
        double violation = shortfall_ > 0.0 ? -low : 0.0;
        if (removable) violation = std::max(violation, high);
        return scale > 0.0 ? std::max(0.0, violation / scale) : 0.0;
    }

    std::int64_t improve(double violation, std::int64_t budget) {
        choose_points();
        local_.load(reader_, chosen_, weights_, gradient_.data());
        for (int c = 0; c < classes_; ++c) local_.set_scale(c, state_[c].scale);
        const double tolerance = std::max(0.5 * batch_.tolerance, inner_tolerance_share * violation);
        const std::int64_t steps = local_.solve(tolerance, budget, shortfall_, control_);
        for (std::size_t k = 0; k < chosen_.size(); ++k) {
            const std::size_t i = chosen_[k];
            const double after = local_.weight(k), change = after - weights_[i];
            if (change == 0.0) continue;
            weights_[i] = after;
            add_row(i, change);
        }
        return steps;
    }

    // The support, then the worst violators, of the classes that violate most; sorted by class.
    void choose_points() {
        std::vector<int> order;
        for (int c = 0; c < classes_; ++c)
            if (rates_ != nullptr || state_[c].violation() > 0.5 * batch_.tolerance) order.push_back(c);
        std::stable_sort(order.begin(), order.end(),
                         [this](int a, int b) { return state_[a].violation() > state_[b].violation(); });
        const std::size_t support =
            static_cast<std::size_t>(std::count_if(weights_, weights_ + n_, [](double a) { return a > 0.0; }));
        const std::size_t size =
            std::clamp(2 * support + smallest_working_set / 2, smallest_working_set, largest_working_set);
        const std::size_t least = 2 * simplex_lanes;
        if (rates_ == nullptr && order.size() > size / least) order.resize(size / least);
        const std::size_t share = std::max(least, size / std::max<std::size_t>(1, order.size()));
        chosen_.clear();
        for (int c : order) choose_in_class(c, share);
        std::sort(chosen_.begin(), chosen_.end());
    }

    void choose_in_class(int c, std::size_t share) {
        support_.clear();
        violators_.clear();
        const ClassState& s = state_[c];
        const double margin = rates_ ? infinity : s.high;
        for (std::size_t i = gram_.start(c); i < gram_.start(c + 1); ++i) {
            if (!takes_part(i)) continue;
            if (weights_[i] > 0.0) {
                support_.push_back(i);
            } else if (gradient_[i] < margin) {
                violators_.push_back(i);
            }
        }
        const auto rising = [this](std::size_t a, std::size_t b) {
            return comes_before(gradient_[a], a, gradient_[b], b);
        };
        const auto keep = [](std::vector<std::size_t>& list, std::size_t count, auto less) {
            if (list.size() <= count) return;
            std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count), list.end(), less);
            list.resize(count);
        };
        // Between an eighth and a half of the share goes to violators; the support fills the rest.
        const std::size_t newcomers =
            std::min(share / 2, std::max(share / 8, share - std::min(share, support_.size())));
        keep(violators_, newcomers, rising);
        const std::size_t room = share - violators_.size();
        if (support_.size() > room) {  // both ends: those that should shrink and those that should grow
            std::nth_element(support_.begin(), support_.begin() + static_cast<std::ptrdiff_t>(room / 2), support_.end(),
                             rising);
            std::nth_element(support_.begin() + static_cast<std::ptrdiff_t>(room / 2),
                             support_.end() - static_cast<std::ptrdiff_t>(room - room / 2), support_.end(), rising);
            std::copy(support_.end() - static_cast<std::ptrdiff_t>(room - room / 2), support_.end(),
                      support_.begin() + static_cast<std::ptrdiff_t>(room / 2));
            support_.resize(room);
        }
        chosen_.insert(chosen_.end(), violators_.begin(), violators_.end());
        chosen_.insert(chosen_.end(), support_.begin(), support_.end());
    }

    void report(std::size_t place, std::int64_t iterations) {
        double objective = 0.0, worst = 0.0, low = 0.0, scale = 0.0;
        for (int c = 0; c < classes_; ++c) {
            double gap = 0.0;
            for (std::size_t i = gram_.start(c); i < gram_.start(c + 1); ++i) {
                if (weights_[i] <= 0.0) continue;
                gap += weights_[i] * (gradient_[i] - state_[c].low);
                // 1/2 a'Qa - c'a = 1/2 a'(G - c), as G = Qa - c.
                objective += 0.5 * weights_[i] * (gradient_[i] - factor_ * linear_[i]);
            }
            if (state_[c].scale > 0.0) worst = std::max(worst, gap / state_[c].scale);
            if (rates_ != nullptr && state_[c].low < infinity) {
                low += rates_[c] * state_[c].low;
                scale += rates_[c] * state_[c].scale;
            }
            batch_.floors[place * static_cast<std::size_t>(classes_) + static_cast<std::size_t>(c)] = state_[c].low;
        }
        if (rates_ != nullptr && scale > 0.0) {
            // The gap in t: a linear function is least at an end of the range of t, 0 or the largest shortfall.
            const double joint = std::max(-shortfall_ * low, (largest_shortfall() - shortfall_) * low);
            worst = std::max(worst, joint / scale);
        }
        batch_.objectives[place] = objective;
        batch_.gaps[place] = worst;
        batch_.iterations[place] = iterations;
    }

    Gram& gram_;
    GramReader& reader_;
    const SimplexBatch& batch_;
    const SimplexLoops& loops_;
    SimplexProgress& progress_;
    const Control& control_;
    std::size_t n_;
    int classes_;
    const double* linear_;
    const unsigned char* active_;
    const double* coupling_;
    const double* rates_;
    double* weights_ = nullptr;
    double factor_ = 1.0;
    double shortfall_ = 0.0;
    std::vector<double> gradient_;
    std::vector<char> has_points_;
    std::vector<ClassState> state_;
    std::vector<std::size_t> chosen_, support_, violators_;
    WorkingSet local_;
};

}  // namespace

void solve_simplex(Gram& gram, const SimplexBatch& batch, SimplexProgress& progress, Control& control) {
    const int readers =
        static_cast<int>(std::min<std::size_t>(batch.chains, static_cast<std::size_t>(control.threads())));
    // A programme may take long whatever its size, so all but the tiniest get threads and a watcher.
    const double work = gram.size() * batch.chains > 128 ? 1e8 * static_cast<double>(batch.chains) : 1e3;
    parallel_for(control, work, batch.chains, [&](std::size_t chain) {
        GramReader reader(gram, readers);
        Programme programme(gram, reader, batch, chain, progress, control);
        for (std::size_t step = 0; step < batch.steps; ++step) {
            const std::size_t place = chain * batch.steps + step;
            if (step > 0)
                std::copy_n(batch.weights + (place - 1) * gram.size(), gram.size(),
                            batch.weights + place * gram.size());
            programme.solve(batch.factors[step], place);
        }
    });
}

}  // namespace parzen
