// Loops over tasks: each runs once, errors and interruptions reach the caller.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "parzen/parallel.hpp"
#include "problem.hpp"

using parzen::Control;

namespace {

constexpr double much_work = 1e12;  // as many threads as allowed

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST(every_task_runs_once) {
    for (int threads : {1, 2, 7}) {
        for (double work : {0.0, much_work}) {
            Control control(threads);
            std::vector<std::atomic<int>> runs(1000);
            parzen::parallel_for(control, work, runs.size(), [&](std::size_t i) { ++runs[i]; });
            for (const std::atomic<int>& count : runs) CHECK(count == 1);
        }
    }
}

TEST(no_tasks_are_no_work) {
    Control control(4);
    parzen::parallel_for(control, much_work, 0, [](std::size_t) { CHECK(false); });
}

TEST(a_round_begins_when_the_one_before_has_ended) {
    Control control(4);
    std::atomic<int> finished{0};
    parzen::parallel_rounds(
        control, much_work, 20, [](std::size_t) { return std::size_t{10}; },
        [&](std::size_t round, std::size_t) {
            CHECK(finished >= 10 * static_cast<int>(round));
            ++finished;
        });
    CHECK(finished == 200);
}

TEST(the_share_of_the_tasks_that_have_ended_grows_to_one) {
    for (int threads : {1, 3}) {
        Control* watched = nullptr;
        std::vector<double> shares;
        Control control(threads, [&] {
            shares.push_back(watched->share());
            return false;
        });
        watched = &control;
        CHECK(control.share() == 0.0);
        parzen::parallel_rounds(
            control, much_work, 2, [](std::size_t) { return std::size_t{10}; },
            [](std::size_t, std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); });
        CHECK(!shares.empty());
        CHECK(std::is_sorted(shares.begin(), shares.end()));
        CHECK(shares.front() < 1.0);
        CHECK(control.share() == 1.0);
    }
}

TEST(an_exception_of_a_task_reaches_the_caller) {
    for (int threads : {1, 4}) {
        for (std::size_t rounds : {1, 5}) {
            for (double work : {0.0, much_work}) {
                Control control(threads);
                bool caught = false;
                try {
                    parzen::parallel_rounds(
                        control, work, rounds, [](std::size_t) { return std::size_t{50}; },
                        [](std::size_t, std::size_t i) {
                            if (i == 17) throw std::runtime_error("seventeen");
                        });
                } catch (const std::runtime_error& error) {
                    caught = std::string(error.what()) == "seventeen";
                }
                CHECK(caught);
            }
        }
    }
}

TEST(an_interruption_stops_a_long_sum_within_a_second) {
    for (bool same : {false, true}) {
        for (int threads : {1, 2}) {
            const problem::Problem<double> p = problem::make_same<double>(200000, 2, {});
            std::vector<double> sums(p.n_queries * p.width());
            int asked = 0;
            Control control(threads, [&asked] { return ++asked >= 2; });
            parzen::SumsInput<double> input = p.input();
            input.same = same;
            bool interrupted = false;
            const auto start = std::chrono::steady_clock::now();
            try {
                parzen::kernel_sums<double>(input, parzen::Mode::plain, sums.data(), nullptr, control);
            } catch (const parzen::Interrupted&) {
                interrupted = true;
            }
            CHECK(interrupted);
            CHECK(asked >= 2);
            CHECK(seconds_since(start) < 1.5);  // the packing before the first question included
        }
    }
}

TEST(a_control_that_was_stopped_lets_nothing_run) {
    Control control(2, [] { return true; });
    CHECK(control.poll());
    bool interrupted = false;
    try {
        parzen::parallel_for(control, much_work, 100, [](std::size_t) {});
    } catch (const parzen::Interrupted&) {
        interrupted = true;
    }
    CHECK(interrupted);
}
