// Loops over independent tasks on std::thread. Threads live for one call only, so that a forked
// child never inherits a pool without its threads. The calling thread polls for interruptions
// while the others work. Which thread runs a task is left open; what a task computes is not.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>

namespace parzen {

struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

class Control {
   public:
    // `poll` is asked now and then, from the calling thread only, whether to stop.
    explicit Control(int threads, std::function<bool()> poll = {})
        : threads_(threads < 1 ? 1 : threads), poll_(std::move(poll)) {}

    int threads() const { return threads_; }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    bool poll() {
        if (poll_ && poll_()) stopped_.store(true);
        return stopped();
    }

    // How many of the tasks of the loop that runs have ended, from 0 to 1.
    double share() const {
        const std::size_t total = total_.load(std::memory_order_relaxed);
        return total == 0 ? 0.0
                          : static_cast<double>(ended_.load(std::memory_order_relaxed)) / static_cast<double>(total);
    }
    void begin(std::size_t tasks) {
        ended_.store(0);
        total_.store(tasks);
    }
    void ended() { ended_.fetch_add(1, std::memory_order_relaxed); }

   private:
    int threads_;
    std::function<bool()> poll_;
    std::atomic<bool> stopped_{false};
    std::atomic<std::size_t> total_{0}, ended_{0};
};

// Runs task(round, index) for every index < tasks(round), one round after the other.
// `work` is a rough number of nanoseconds in all: little work stays on the calling thread.
// Throws Interrupted when the control was stopped; tasks should check control.stopped().
void parallel_rounds(Control& control, double work, std::size_t rounds,
                     const std::function<std::size_t(std::size_t)>& tasks,
                     const std::function<void(std::size_t, std::size_t)>& task);

void parallel_for(Control& control, double work, std::size_t tasks, const std::function<void(std::size_t)>& task);

}  // namespace parzen
