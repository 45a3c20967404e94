// Threads for work that may wait for other work. TensorFlow has few threads that report a GPU's events (EventMgr), such
// as the end of a copy. A callback that ran on one of them and waited for a copy would deadlock.
#ifndef TF1MEM_VALUES_THREADS_H
#define TF1MEM_VALUES_THREADS_H

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "tensorflow.h"
#include "tensorflow/core/platform/env.h"

namespace values {

// Runs work on a separate thread.
inline void do_apart(std::function<void()> work) { Env::Default()->SchedClosure(std::move(work)); }

// Runs pieces of work in order, one at a time, on threads other than the caller's. While a piece waits (Waiting), the
// next one begins on another thread, since the first may be waiting for it.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  void add(std::function<void()> work) {
    std::lock_guard<std::mutex> held(lock_);
    left_.push_back(std::move(work));
    go_on();
  }

 private:
  friend class Waiting;

  // The lane that this thread works for; null for all other threads.
  static Lane*& here() {
    static thread_local Lane* lane;
    return lane;
  }

  // Starts a thread if work is left and no thread is doing any.
  void go_on() {
    if (left_.empty() || working_) return;
    working_++;
    auto self = shared_from_this();
    do_apart([self] { self->work(); });
  }

  void work() {
    here() = this;
    std::unique_lock<std::mutex> held(lock_);
    while (!left_.empty()) {
      std::function<void()> next = std::move(left_.front());
      left_.pop_front();
      held.unlock();
      next();
      next = nullptr;  // its captures are destroyed before the lock is taken
      held.lock();
    }
    working_--;
    here() = nullptr;
  }

  std::mutex lock_;
  std::deque<std::function<void()>> left_;
  int working_ = 0;  // the number of this lane's threads that aren't waiting
};

// While an object of this class exists, its thread waits, and its lane may go on with the next piece of work.
class Waiting {
 public:
  Waiting() : lane_(Lane::here()) {
    if (!lane_) return;
    std::lock_guard<std::mutex> held(lane_->lock_);
    lane_->working_--;
    lane_->go_on();
  }
  ~Waiting() {
    if (!lane_) return;
    std::lock_guard<std::mutex> held(lane_->lock_);
    lane_->working_++;
  }

 private:
  Lane* lane_;
};

}  // namespace values

#endif
