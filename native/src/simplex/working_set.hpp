// The programme restricted to a few hundred points, with its part of Q in cache.
//
// A step moves weight between two points of a class. Relaxed programmes have steps of a second kind: all classes
// lose weight together, or gain it, each in proportion to its rate. `shortfall` is their common t: class g's weights
// sum to 1 - rates[g] t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parzen/gram.hpp"
#include "parzen/parallel.hpp"
#include "simplex/loops.hpp"

namespace parzen {

inline constexpr std::size_t smallest_working_set = 128;
inline constexpr std::size_t largest_working_set = 1024;

class WorkingSet {
   public:
    WorkingSet(const SimplexLoops& loops, const Gram& gram, const double* coupling, const double* rates);

    // Copies the rows, weights and gradients of `points`, which are sorted by class.
    void load(GramReader& reader, const std::vector<std::size_t>& points, const double* weights,
              const double* gradient);
    void set_scale(int c, double scale);

    // Exchanges weights until no class violates its conditions by more than `tolerance` of its
    // scale, or `budget` steps were taken. Returns the number of steps.
    std::int64_t solve(double tolerance, std::int64_t budget, double& shortfall, const Control& control);

    double weight(std::size_t k) const { return weights_[place_[k]]; }

   private:
    struct Segment {  // the points of one class, padded to whole vectors
        int c;
        int begin, count;  // padded
        double scale;
        Extremes extremes;
    };

    const double* row(int i) const { return q_.data() + static_cast<std::size_t>(i) * width_; }
    double violation(const Segment& s) const;
    bool exchange(Segment& segment);
    // Of the steps of the second kind: `grow` gives every class weight, which lowers the shortfall.
    double joint_violation(bool grow, double shortfall) const;
    bool move_jointly(bool grow, double& shortfall);
    // Point i has gained `step` from point j, or from none (j < 0): brings the gradient up to date.
    void update(int i, int j, double step);

    const SimplexLoops& loops_;
    const Gram& gram_;
    const double* coupling_;
    const double* rates_;
    std::size_t width_ = 0;
    std::vector<Segment> segments_;
    std::vector<std::size_t> place_;  // of every point, in padded order
    std::vector<double> q_, weights_, gradient_, diagonal_, zeros_;
};

}  // namespace parzen
