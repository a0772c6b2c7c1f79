#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include "core/loop_tables.hpp"
#include "parzen/tile.hpp"
#include "tree/quick.hpp"
#include "tree/rule.hpp"

namespace parzen {

PARZEN_DECLARE_LOOPS(QuickLoops, quick_loops);

const QuickLoops& quick_loops() { return PARZEN_LOOPS_IN_USE(quick_loops); }

namespace {

constexpr double ln2 = 0.69314718055994530942;
constexpr int bins = 32;
constexpr int bin_width = 2;                  // exponents of 2
constexpr int lowest_bin = 95;                // exponent bits of 2^-32: nodes with narrower bounds are never opened
constexpr double opened_share = 1.0 / 16;     // a round opens nodes whose bounds are this share of the widest
constexpr double largest_usable_error = 0.2;  // relative rounding from which on a sum cannot decide
constexpr double farthest = 1e6;              // distance of a query from the origin, in units of the kernel
constexpr std::size_t largest_group = 1024, smallest_group = 64;  // queries of one task
constexpr std::uint64_t every_byte = 0x0101010101010101u;

// A block that was opened, with the bins of its children: byte c is 0 where child c has been opened too,
// and one more than its bin otherwise.
struct Opened {
    std::uint64_t bins;
    std::int32_t block;
};

// The bounds of one column for one query. Nodes that have not been opened are in bins by the width of
// their bounds; a bin is emptied as a whole, so that its totals are sums of positive terms.
struct QuickColumn {
    double reference = 0;
    double lower = 0, upper = 0;  // of the leaves
    double bin_lower[bins] = {}, bin_upper[bins] = {};
    std::vector<Opened> opened;

    void clear() {
        reference = lower = upper = 0;
        std::fill_n(bin_lower, bins, 0.0);
        std::fill_n(bin_upper, bins, 0.0);
        opened.clear();
    }
    int widest_bin() const {
        int b = bins - 1;
        while (b >= 0 && !(bin_upper[b] > bin_lower[b])) --b;
        return b;
    }
};

struct QuickQuery {
    std::vector<double> x;  // [columns][dimension] in the units of each tree
    std::vector<QuickColumn> columns;
    bool done = false;
};

// A query that opens a block or a leaf in this round.
struct QuickRequest {
    std::int32_t place;
    std::int32_t query;
};

// One thread's work on a group of neighbouring queries. In a round every query requests the blocks and
// leaves that it opens next; each of them then serves all its queries while it is in cache.
class QuickGroup {
   public:
    QuickGroup(const std::vector<std::unique_ptr<QuickTree>>& trees, const Rule& rule, std::size_t size)
        : trees_(trees),
          loops_(quick_loops()),
          d_(static_cast<std::size_t>(trees[0]->shape().dimension)),
          criterion_(rule, trees.size()),
          totals_(trees.size()),
          queries_(size),
          z_(std::max<std::size_t>(size, quick_rows) * d_),
          references_(size),
          lower_(size * fanout),
          upper_(size * fanout) {
        std::int32_t places = 0;
        for (const auto& tree : trees) {  // of a tree: its leaves, counted backward, then its blocks
            places += tree->leaves();
            offsets_.push_back(places);
            places += tree->blocks();
        }
        request_counts_.resize(static_cast<std::size_t>(places));
        for (QuickQuery& query : queries_) query.columns.resize(trees.size());
    }

    const TreeWork& work() const { return work_; }

    // Query i starts anew; x are its coordinates for every column, or for all of them.
    void set_query(std::size_t i, const std::vector<const double*>& x) {
        QuickQuery& query = queries_[i];
        query.x.resize(trees_.size() * d_);
        query.done = false;
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            query.columns[j].clear();
            if (trees_[j]->empty()) continue;
            double* at = query.x.data() + j * d_;
            trees_[j]->to_units(x.size() > 1 ? x[j] : x[0], at);
            double square = 0;
            for (std::size_t k = 0; k < d_; ++k) square += at[k] * at[k];
            query.done = query.done || !(square < farthest * farthest);
            if (!query.done) query.columns[j].reference = reference_exponent(*trees_[j], at);
        }
    }

    // Labels of the first `count` queries.
    void run(std::size_t count, std::int32_t* labels, const Control& control) {
        std::fill(labels, labels + count, undecided);
        std::vector<std::int32_t> all;
        for (std::size_t i = 0; i < count; ++i)
            if (!queries_[i].done) all.push_back(static_cast<std::int32_t>(i));
        for (std::size_t j = 0; j < trees_.size(); ++j)
            if (!trees_[j]->empty()) expand(j, 0, all.data(), all.size());
        for (bool active = true; active && !control.stopped();) {
            active = false;
            for (std::size_t i = 0; i < count; ++i) {
                QuickQuery& query = queries_[i];
                if (query.done) continue;
                labels[i] = try_to_decide(query);
                query.done = query.done || labels[i] != undecided || !request_widest(i);
                active = active || !query.done;
            }
            serve();
        }
    }

   private:
    void from_centre(const double* x, const double* centre, float* z) const {
        for (std::size_t k = 0; k < d_; ++k) z[k] = static_cast<float>(x[k] - centre[k]);
    }

    // -log2 of the largest term in the leaf whose means are nearest all the way down.
    double reference_exponent(const QuickTree& tree, const double* x) {
        std::int32_t at = 0;
        float* z = z_.data();
        do {
            float u[fanout];
            from_centre(x, tree.block_centre(at), z);
            loops_.means(tree.shape(), tree.block(at), z, u);
            at = tree.children(at)[std::min_element(u, u + tree.count(at)) - u];
        } while (at >= 0);
        from_centre(x, tree.leaf_centre(~at), z);
        float norm = 0;
        for (std::size_t k = 0; k < d_; ++k) {
            norm += z[k] * z[k];
            z[k] *= 2;
        }
        const float t = loops_.highest(static_cast<int>(d_), tree.leaf_points(~at), tree.leaf_chunks(~at), z, -norm);
        return static_cast<double>(std::max(0.0f, -t));
    }

    // The label if it is certain. A query is given up where rounding is larger than what more nodes could decide.
    std::int32_t try_to_decide(QuickQuery& query) {
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            const QuickColumn& column = query.columns[j];
            Total& total = totals_[j];
            total = {0, column.lower, column.upper, 0, -column.reference * ln2, 0};
            if (trees_[j]->empty()) continue;
            for (int b = 0; b < bins; ++b) {
                total.lower += column.bin_lower[b];
                total.upper += column.bin_upper[b];
                total.pending_gap += column.bin_upper[b] - column.bin_lower[b];
            }
            total.lower *= 1 - 1e-11;
            // The last term bounds what was flushed to zero in single precision.
            total.upper = total.upper * (1 + 1e-11) + 0x1p-120 * static_cast<double>(trees_[j]->points());
        }
        if (criterion_.done(totals_)) return criterion_.label();
        const std::vector<double>& importance = criterion_.importance();
        double rounding = 0, open = 0;
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            rounding += importance[j] * (query.columns[j].upper - query.columns[j].lower);
            open += importance[j] * totals_[j].pending_gap;
        }
        query.done = !(open > rounding / 4);
        return undecided;
    }

    // Opens the nodes in the bins of the widest bounds. False: no node is left to open.
    bool request_widest(std::size_t i) {
        QuickQuery& query = queries_[i];
        const std::vector<double>& importance = criterion_.importance();
        double widest = 0;
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            const int b = query.columns[j].widest_bin();
            if (b > 0) widest = std::max(widest, importance[j] * std::ldexp(1.0, bin_width * b));
        }
        if (!(widest > 0)) return false;
        for (std::size_t j = 0; j < trees_.size(); ++j) {
            int last = bins;
            while (last > 1 && importance[j] * std::ldexp(1.0, bin_width * (last - 1)) >= opened_share * widest) --last;
            if (last < bins) empty_bins(query.columns[j], last, j, i);
        }
        return true;
    }

    // Empties the bins from `last` on. The eight bytes of a block are compared with last + 1 at once: with the
    // high bit of a byte set before the subtraction, the bit survives where the byte is not smaller.
    void empty_bins(QuickColumn& column, int last, std::size_t j, std::size_t i) {
        constexpr std::uint64_t high_bits = 0x80 * every_byte;
        for (Opened& opened : column.opened) {
            std::uint64_t taken =
                ((opened.bins | high_bits) - static_cast<std::uint64_t>(last + 1) * every_byte) & high_bits;
            if (taken == 0) continue;
            opened.bins &= ~((taken >> 7) * 0xff);
            const std::int32_t* children = trees_[j]->children(opened.block);
            for (; taken != 0; taken &= taken - 1) request(j, children[std::countr_zero(taken) / 8], i);
        }
        std::fill(column.bin_lower + last, column.bin_lower + bins, 0.0);
        std::fill(column.bin_upper + last, column.bin_upper + bins, 0.0);
    }

    void request(std::size_t j, std::int32_t child, std::size_t i) {
        const std::int32_t place = offsets_[j] + child;
        if (request_counts_[static_cast<std::size_t>(place)]++ == 0)
            requested_.push_back({static_cast<std::int32_t>(j), child});
        requests_.push_back({place, static_cast<std::int32_t>(i)});
    }

    // Serves the requests block by block and leaf by leaf: a counting sort brings them into this order.
    void serve() {
        std::int32_t at = 0;
        for (const auto& [j, child] : requested_) at += std::exchange(request_count(j, child), at);
        sorted_.resize(requests_.size());
        for (const QuickRequest& request : requests_)
            sorted_[static_cast<std::size_t>(request_counts_[static_cast<std::size_t>(request.place)]++)] =
                request.query;
        std::int32_t begin = 0;
        for (std::size_t a = 0; a < requested_.size(); ++a) {
            const auto [j, child] = requested_[a];
            if (a + 1 < requested_.size()) prefetch(requested_[a + 1].first, requested_[a + 1].second);
            const std::int32_t end = std::exchange(request_count(j, child), 0);
            const std::int32_t* requesters = sorted_.data() + begin;
            if (child >= 0) {
                expand(static_cast<std::size_t>(j), child, requesters, static_cast<std::size_t>(end - begin));
            } else {
                add_leaf(static_cast<std::size_t>(j), ~child, requesters, static_cast<std::size_t>(end - begin));
            }
            begin = end;
        }
        requested_.clear();
        requests_.clear();
    }

    std::int32_t& request_count(std::int32_t j, std::int32_t child) {
        return request_counts_[static_cast<std::size_t>(offsets_[static_cast<std::size_t>(j)] + child)];
    }

    // Prefetches the beginning of the next block or leaf; the processor's own prefetching goes on from there.
    void prefetch(std::int32_t column, std::int32_t child) const {
        const QuickTree& tree = *trees_[static_cast<std::size_t>(column)];
        const float* from = child >= 0 ? tree.block(child) : tree.leaf_points(~child);
        const std::size_t size = child >= 0 ? static_cast<std::size_t>(tree.shape().size()) : (d_ + 1) * chunk;
        for (std::size_t i = 0; i < size; i += 16) __builtin_prefetch(from + i);
    }

    // Bounds of a block's children for the queries that requested it.
    void expand(std::size_t j, std::int32_t block, const std::int32_t* requesters, std::size_t n_requesters) {
        const QuickTree& tree = *trees_[j];
        for (std::size_t q = 0; q < n_requesters; ++q) {
            const QuickQuery& query = queries_[static_cast<std::size_t>(requesters[q])];
            from_centre(query.x.data() + j * d_, tree.block_centre(block), z_.data() + q * d_);
            references_[q] = static_cast<float>(query.columns[j].reference);
        }
        loops_.bounds(tree.shape(), tree.block(block), static_cast<int>(n_requesters), z_.data(), references_.data(),
                      lower_.data(), upper_.data());
        const int count = tree.count(block);
        for (std::size_t q = 0; q < n_requesters; ++q)
            put_into_bins(queries_[static_cast<std::size_t>(requesters[q])].columns[j], block, count,
                          lower_.data() + q * fanout, upper_.data() + q * fanout);
        work_.nodes += n_requesters * static_cast<std::uint64_t>(count);
    }

    static void put_into_bins(QuickColumn& column, std::int32_t block, int count, const float* lower,
                              const float* upper) {
        std::uint64_t bytes = 0;
        for (int c = 0; c < count; ++c) {
            // The biased exponent of the width; an infinite one, 255, goes to the last bin.
            const int exponent = static_cast<int>(std::bit_cast<std::uint32_t>(upper[c] - lower[c]) >> 23);
            const int b = std::clamp((exponent - lowest_bin) / bin_width, 0, bins - 1);
            column.bin_lower[b] += static_cast<double>(lower[c]);
            column.bin_upper[b] += static_cast<double>(upper[c]);
            bytes |= static_cast<std::uint64_t>(b + 1) << (8 * c);
        }
        column.opened.push_back({bytes, block});
    }

    void add_leaf(std::size_t j, std::int32_t leaf, const std::int32_t* requesters, std::size_t n_requesters) {
        const QuickTree& tree = *trees_[j];
        for (std::size_t first = 0; first < n_requesters; first += quick_rows) {
            const std::size_t rows = std::min<std::size_t>(quick_rows, n_requesters - first);
            float constants[quick_rows], sums[quick_rows];
            double errors[quick_rows] = {};
            std::fill_n(z_.data(), d_ * quick_rows, 0.0f);
            std::fill_n(constants, quick_rows, -1000.0f);  // 2^-1000 is zero: rows beyond the last add nothing
            for (std::size_t q = 0; q < rows; ++q)
                errors[q] =
                    set_row(tree, leaf, queries_[static_cast<std::size_t>(requesters[first + q])], j, q, constants[q]);
            loops_.leaf(static_cast<int>(d_), tree.leaf_points(leaf), tree.leaf_chunks(leaf), z_.data(), constants,
                        sums);
            for (std::size_t q = 0; q < rows; ++q) {
                QuickQuery& query = queries_[static_cast<std::size_t>(requesters[first + q])];
                query.done = query.done || !(errors[q] < largest_usable_error);
                query.columns[j].lower += static_cast<double>(sums[q]) * (1 - errors[q]);
                query.columns[j].upper += static_cast<double>(sums[q]) * (1 + errors[q]);
            }
        }
        work_.pairs += n_requesters * static_cast<std::uint64_t>(tree.leaf_chunks(leaf)) * chunk;
    }

    // Row q of a tile for a leaf; returns how far its sum may be off, relative to it. The exponent of a pair is
    // a sum of d + 2 terms, each of them and every partial sum below reference + log weight + 2 reach^2. The last
    // term covers the rounding of x - centre in double precision (quick_build.cpp): 2^-r^2 changes by 2 ln 2 r of it.
    double set_row(const QuickTree& tree, std::int32_t leaf, const QuickQuery& query, std::size_t j, std::size_t q,
                   float& constant) {
        const double *x = query.x.data() + j * d_, *centre = tree.leaf_centre(leaf);
        double norm = 0;
        for (std::size_t k = 0; k < d_; ++k) {
            const auto z = static_cast<float>(x[k] - centre[k]);
            norm += static_cast<double>(z) * static_cast<double>(z);
            z_[k * quick_rows + q] = 2 * z;
        }
        const double reference = query.columns[j].reference, radius = static_cast<double>(tree.leaf_radius(leaf));
        const double length = std::sqrt(norm), reach = length + radius, gap = std::max(0.0, length - radius);
        constant = static_cast<float>(reference - norm);
        // So much nearer than the reference that single precision would overflow: the sum is not usable.
        if (reference - gap * gap > static_cast<double>(quick_highest)) return 1;
        const double size = reference + tree.largest_log_weight() + 2 * reach * reach;
        return quick_epsilon * (static_cast<double>(d_ + 8) * size + 64 + tree.leaf_chunks(leaf) * 3) + 1e-8 * reach;
    }

    const std::vector<std::unique_ptr<QuickTree>>& trees_;
    const QuickLoops& loops_;
    std::size_t d_;
    CertainLabel criterion_;
    std::vector<Total> totals_;
    std::vector<QuickQuery> queries_;
    std::vector<std::int32_t> offsets_;         // [columns] place of the first block
    std::vector<std::int32_t> request_counts_;  // [places] number of requests; zero between rounds
    std::vector<QuickRequest> requests_;
    std::vector<std::int32_t> sorted_;                              // their queries, by place
    std::vector<std::pair<std::int32_t, std::int32_t>> requested_;  // column and child
    std::vector<float> z_, references_, lower_, upper_;
    TreeWork work_;
};

}  // namespace

TreeWork quick_decide(const std::vector<std::unique_ptr<QuickTree>>& trees, const std::vector<const double*>& queries,
                      const std::vector<std::size_t>& order, const Rule& rule, std::int32_t* labels, Control& control) {
    const std::size_t n = order.size(), d = static_cast<std::size_t>(trees[0]->shape().dimension);
    const std::size_t most = std::max(smallest_group, 2 * largest_group / trees.size());
    const std::size_t size =
        std::clamp<std::size_t>(n / static_cast<std::size_t>(2 * control.threads()), 1, std::min(most, largest_group));
    std::atomic<std::uint64_t> pairs{0}, nodes{0};
    parallel_for(control, 1e4 * static_cast<double>(n), (n + size - 1) / size, [&](std::size_t task) {
        QuickGroup group(trees, rule, size);
        const std::size_t first = task * size, count = std::min(size, n - first);
        std::vector<const double*> x(queries.size());
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < x.size(); ++j) x[j] = queries[j] + order[first + i] * d;
            group.set_query(i, x);
        }
        std::vector<std::int32_t> found(count);
        group.run(count, found.data(), control);
        if (control.stopped()) return;
        for (std::size_t i = 0; i < count; ++i) labels[order[first + i]] = found[i];
        pairs += group.work().pairs;
        nodes += group.work().nodes;
    });
    TreeWork work;
    work.quick_pairs = pairs.load();
    work.quick_nodes = nodes.load();
    return work;
}

}  // namespace parzen
