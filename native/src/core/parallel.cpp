#include "parzen/parallel.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace parzen {

namespace {

constexpr double thread_start_cost = 1e5;  // nanoseconds of work that repay starting one
constexpr double least_polled_work = 5e7;  // below this a call ends before anyone could interrupt it
constexpr auto poll_interval = std::chrono::milliseconds(50);

// The first exception of any thread, kept for the caller.
class FirstError {
   public:
    void keep(std::exception_ptr error) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!error_) error_ = std::move(error);
        failed_.store(true);
    }
    bool failed() const { return failed_.load(std::memory_order_relaxed); }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

   private:
    std::mutex mutex_;
    std::exception_ptr error_;
    std::atomic<bool> failed_{false};
};

class Team {
   public:
    Team(Control& control, std::size_t rounds, const std::function<std::size_t(std::size_t)>& tasks,
         const std::function<void(std::size_t, std::size_t)>& task, int size)
        : control_(control),
          rounds_(rounds),
          tasks_(tasks),
          task_(task),
          next_(rounds),
          barrier_(size),
          running_(size) {
        workers_.reserve(static_cast<std::size_t>(size));
        int started = 0;
        try {
            for (; started < size; ++started) workers_.emplace_back([this] { work(); });
        } catch (...) {  // no more threads to be had: those that started do the work of the others
            if (started == 0) {
                error_.keep(std::make_exception_ptr(
                    std::runtime_error("can't start new thread: no memory or process is left for it; use n_jobs=1")));
            }
            for (; started < size; ++started) {
                barrier_.arrive_and_drop();
                finished();
            }
        }
    }

    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!done_.wait_for(lock, poll_interval, [this] { return running_ == 0; })) {
            lock.unlock();
            control_.poll();
            lock.lock();
        }
        lock.unlock();
        for (std::thread& worker : workers_) worker.join();
        error_.rethrow();
    }

   private:
    void work() {
        for (std::size_t round = 0; round < rounds_; ++round) {
            const std::size_t count = tasks_(round);
            while (!control_.stopped() && !error_.failed()) {
                const std::size_t index = next_[round].fetch_add(1);
                if (index >= count) break;
                try {
                    task_(round, index);
                    control_.ended();
                } catch (...) {
                    error_.keep(std::current_exception());
                }
            }
            if (rounds_ > 1) barrier_.arrive_and_wait();
        }
        finished();
    }

    void finished() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (--running_ == 0) done_.notify_one();
    }

    Control& control_;
    std::size_t rounds_;
    const std::function<std::size_t(std::size_t)>& tasks_;
    const std::function<void(std::size_t, std::size_t)>& task_;
    std::vector<std::atomic<std::size_t>> next_;
    std::barrier<> barrier_;
    FirstError error_;
    std::mutex mutex_;
    std::condition_variable done_;
    int running_;
    std::vector<std::thread> workers_;
};

}  // namespace

void parallel_rounds(Control& control, double work, std::size_t rounds,
                     const std::function<std::size_t(std::size_t)>& tasks,
                     const std::function<void(std::size_t, std::size_t)>& task) {
    std::size_t widest = 0, all = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
        widest = std::max(widest, tasks(round));
        all += tasks(round);
    }
    control.begin(all);
    const double repaid = std::max(1.0, std::min(work / thread_start_cost, 1e6));
    const int size = static_cast<int>(
        std::min<std::size_t>({static_cast<std::size_t>(control.threads()), widest, static_cast<std::size_t>(repaid)}));
    if (size <= 1 && work < least_polled_work) {
        for (std::size_t round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < tasks(round); ++i) task(round, i);
        }
    } else if (size >= 1) {
        Team(control, rounds, tasks, task, size).wait();
    }
    if (control.stopped()) throw Interrupted();
}

void parallel_for(Control& control, double work, std::size_t tasks, const std::function<void(std::size_t)>& task) {
    parallel_rounds(
        control, work, 1, [tasks](std::size_t) { return tasks; },
        [&task](std::size_t, std::size_t index) { task(index); });
}

}  // namespace parzen
