// Threads for work that may wait for other work. TensorFlow's threads that tell of a GPU's events (EventMgr) are few, and
// a copy is told of on one of them: what goes on in such a callback, and then waits for a copy, would wait for ever.
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

// Does work on a thread that nothing else is done on.
inline void do_apart(std::function<void()> work) { Env::Default()->SchedClosure(std::move(work)); }

// Does pieces of work one after the other, in their order, apart from whoever adds them. Only while one of them waits
// (Waiting) the next begins, on another thread: it may be what the first waits for.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  void add(std::function<void()> work) {
    std::lock_guard<std::mutex> held(lock_);
    left_.push_back(std::move(work));
    go_on();
  }

 private:
  friend class Waiting;

  // The lane that this thread works for.
  static Lane*& here() {
    static thread_local Lane* lane;
    return lane;
  }

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
      next = nullptr;  // what it holds goes before the lock is taken
      held.lock();
    }
    working_--;
    here() = nullptr;
  }

  std::mutex lock_;
  std::deque<std::function<void()>> left_;
  int working_ = 0;  // threads that don't wait
};

// While it lives, this thread waits for work that others do.
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
