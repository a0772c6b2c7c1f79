#include "simplex/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parzen {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t steps_between_polls = 4096;  // exchanges between two checks for an interruption

std::size_t padded(std::size_t count) { return (count + simplex_lanes - 1) / simplex_lanes * simplex_lanes; }

}  // namespace

WorkingSet::WorkingSet(const SimplexLoops& loops, const Gram& gram, const double* coupling, const double* rates)
    : loops_(loops), gram_(gram), coupling_(coupling), rates_(rates) {}

void WorkingSet::load(GramReader& reader, const std::vector<std::size_t>& points, const double* weights,
                      const double* gradient) {
    segments_.clear();
    place_.clear();
    std::size_t end = 0;
    for (std::size_t k = 0; k < points.size();) {
        const int c = gram_.class_of(points[k]);
        std::size_t next = k;
        for (; next < points.size() && gram_.class_of(points[next]) == c; ++next) place_.push_back(end + next - k);
        segments_.push_back({c, static_cast<int>(end), static_cast<int>(padded(next - k)), 0.0, {}});
        end += padded(next - k);
        k = next;
    }
    width_ = end;
    q_.assign(width_ * width_, 0.0);
    weights_.assign(width_, 0.0);
    gradient_.assign(width_, infinity);
    diagonal_.assign(width_, 0.0);
    zeros_.assign(width_, 0.0);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::size_t p = place_[k];
        const double* from = reader.row(points[k]);
        const double* factors = coupling_ + gram_.class_of(points[k]) * gram_.classes();
        double* to = q_.data() + p * width_;
        for (std::size_t l = 0; l < points.size(); ++l)
            to[place_[l]] = factors[gram_.class_of(points[l])] * from[points[l]];
        weights_[p] = weights[points[k]];
        gradient_[p] = gradient[points[k]];
        diagonal_[p] = to[p];
    }
    for (Segment& s : segments_)
        s.extremes = loops_.extremes(gradient_.data() + s.begin, weights_.data() + s.begin, s.count);
}

void WorkingSet::set_scale(int c, double scale) {
    for (Segment& s : segments_)
        if (s.c == c) s.scale = scale;
}

double WorkingSet::violation(const Segment& s) const {
    const double difference = s.extremes.high_value - s.extremes.low_value;
    return s.extremes.high >= 0 && difference > 0.0 && s.scale > 0.0 ? difference / s.scale : 0.0;
}

std::int64_t WorkingSet::solve(double tolerance, std::int64_t budget, double& shortfall, const Control& control) {
    std::int64_t steps = 0;
    for (; steps < budget; ++steps) {
        if (steps % steps_between_polls == 0 && control.stopped()) break;
        Segment* worst = nullptr;
        double most = tolerance;
        for (Segment& s : segments_) {
            const double v = violation(s);
            if (v > most) {
                most = v;
                worst = &s;
            }
        }
        int joint = -1;
        if (rates_ != nullptr) {
            for (int grow = 0; grow < 2; ++grow) {
                const double v = joint_violation(grow != 0, shortfall);
                if (v > most) {
                    most = v;
                    joint = grow;
                }
            }
        }
        if (joint >= 0) {
            if (!move_jointly(joint != 0, shortfall)) break;
        } else if (worst == nullptr || !exchange(*worst)) {
            break;
        }
    }
    return steps;
}

// The point with the smallest gradient takes weight from its best partner, or the one with the largest gives
// to its best partner, whichever promises the larger descent. Moving a step s from `high` to `low` changes the
// objective by -slope s + curvature s^2 / 2: the minimum is at slope / curvature, or where `high` has no weight left.
bool WorkingSet::exchange(Segment& s) {
    const double* g = gradient_.data() + s.begin;
    const double* a = weights_.data() + s.begin;
    const double* diagonal = diagonal_.data() + s.begin;
    int low = s.extremes.low, high = s.extremes.high;
    double taken = 0.0, given = 0.0;
    const int from =
        loops_.partner(false, g, a, diagonal, row(s.begin + low) + s.begin, g[low], diagonal[low], s.count, &taken);
    const int to =
        loops_.partner(true, g, a, diagonal, row(s.begin + high) + s.begin, g[high], diagonal[high], s.count, &given);
    if (from < 0 && to < 0) return false;
    if (to >= 0 && given > taken) {
        low = to;
    } else {
        high = from;
    }
    const double slope = g[high] - g[low];
    const double curvature = diagonal[low] + diagonal[high] - 2.0 * row(s.begin + low)[s.begin + high];
    const double room = a[high];
    const double step = curvature * room > slope ? slope / curvature : room;
    if (!(step > 0.0)) return false;
    weights_[static_cast<std::size_t>(s.begin + low)] += step;
    double& giver = weights_[static_cast<std::size_t>(s.begin + high)];
    giver = step == room ? 0.0 : giver - step;
    update(s.begin + low, s.begin + high, step);
    return true;
}

void WorkingSet::update(int i, int j, double step) {
    const double* first = row(i);
    const double* second = j < 0 ? zeros_.data() : row(j);
    for (Segment& s : segments_)
        s.extremes = loops_.update(gradient_.data() + s.begin, first + s.begin, second + s.begin, step,
                                   weights_.data() + s.begin, s.count);
}

double WorkingSet::joint_violation(bool grow, double shortfall) const {
    if (grow && !(shortfall > 0.0)) return 0.0;
    double slope = 0.0, scale = 0.0;
    for (const Segment& s : segments_) {
        if (!grow && s.extremes.high < 0) return 0.0;
        slope += rates_[s.c] * (grow ? -s.extremes.low_value : s.extremes.high_value);
        scale += rates_[s.c] * s.scale;
    }
    return scale > 0.0 ? slope / scale : 0.0;
}

// One point of every class gains (or loses) weight in proportion to the class's rate.
bool WorkingSet::move_jointly(bool grow, double& shortfall) {
    std::vector<int> points;
    double slope = 0.0, curvature = 0.0, room = grow ? shortfall : infinity;
    for (const Segment& s : segments_) {
        const int p = s.begin + (grow ? s.extremes.low : s.extremes.high);
        points.push_back(p);
        slope += rates_[s.c] * gradient_[static_cast<std::size_t>(p)];
        if (!grow) room = std::min(room, weights_[static_cast<std::size_t>(p)] / rates_[s.c]);
    }
    for (std::size_t k = 0; k < points.size(); ++k)
        for (std::size_t l = 0; l < points.size(); ++l)
            curvature += rates_[segments_[k].c] * rates_[segments_[l].c] * row(points[k])[points[l]];
    slope = std::abs(slope);
    const double step = curvature * room > slope ? slope / curvature : room;
    if (!(step > 0.0)) return false;
    shortfall = grow ? (step == room ? 0.0 : shortfall - step) : shortfall + step;
    for (std::size_t k = 0; k < points.size(); ++k) {
        double& weight = weights_[static_cast<std::size_t>(points[k])];
        const double change = (grow ? step : -step) * rates_[segments_[k].c];
        weight = !grow && weight <= -change ? 0.0 : weight + change;
        update(points[k], -1, change);
    }
    return true;
}

}  // namespace parzen
