// TensorFlow's collectives that use NCCL, between GPUs of one process or of many. NCCL's part runs as on a GPU. Then
// each GPU sends its input to the others by TensorFlow's own transport between processes, receives their inputs, and
// writes its share of the result.
#ifndef TF1MEM_VALUES_COLLECTIVES_H
#define TF1MEM_VALUES_COLLECTIVES_H

#include "tensorflow.h"

#if !BEFORE(10)  // NCCL of earlier TensorFlows searches for GPUs in /sys, and crashes

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "shares.h"
#include "tensorflow/core/common_runtime/buf_rendezvous.h"
#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/collective.h"
#include "tensorflow/core/framework/device.h"

namespace values {

using Ended = std::function<void(const Result&)>;

inline Combination kind_of(const CollectiveParams& params) {
  switch (params.instance.type) {
  case REDUCTION_COLLECTIVE: return REDUCE;
  case BROADCAST_COLLECTIVE: return BROADCAST;
  case GATHER_COLLECTIVE: return GATHER;
  case ALL_TO_ALL_COLLECTIVE: return ALL_TO_ALL;
  default: return REDUCE_SCATTER;  // 2.10 has no name for this type; NCCL refuses all others
  }
}

// Keeps an abort from running at the same time as NCCL's launches of this process. TensorFlow's StartAbort frees NCCL's
// communicators, even if another thread is about to launch with one (NcclManager::RunCollective in
// tensorflow/core/nccl/nccl_manager.cc), which crashes. On real GPUs this is rare: a kernel that waits for a lost
// worker is aborted long after its launch. Here other collectives may just be starting.
class Launches {
 public:
  static Launches& of_process() {
    static auto* launches = new Launches;
    return *launches;
  }

  // Enqueues a collective with NCCL, after waiting for an abort that is going on.
  void enqueue(const std::function<void()>& enqueue) {
    std::unique_lock<std::mutex> held(lock_);
    changed_.wait(held, [this] { return !aborting_; });
    entered_++, launched_++;
    held.unlock();
    enqueue();
    held.lock();
    entered_--;
    changed_.notify_all();
  }

  void called_back() {
    std::lock_guard<std::mutex> held(lock_);
    launched_--;
    changed_.notify_all();
  }

  // Aborts when NCCL has called back for all launches, or after a second: a launch may wait in vain for another GPU of
  // this process.
  void abort(const std::function<void()>& abort) {
    std::unique_lock<std::mutex> held(lock_);
    changed_.wait_for(held, std::chrono::seconds(1), [this] { return !launched_; });
    changed_.wait(held, [this] { return !entered_ && !aborting_; });
    aborting_ = true;
    held.unlock();
    abort();
    held.lock();
    aborting_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  int entered_ = 0;   // the number of threads that are within Enqueue
  int launched_ = 0;  // the number of collectives for which NCCL hasn't called back yet
  bool aborting_ = false;
};

// One GPU's part of a collective: what it sends and receives. Callbacks hold references to it.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  // input: this GPU's input, in the host's memory.
  Exchange(std::shared_ptr<CollectiveContext> context, Tensor input, Shared shared, Ended ended)
      : context_(std::move(context)),
        params_(*context_->col_params),
        kind_(kind_of(params_)),
        shared_(shared),
        ended_(std::move(ended)),
        inputs_(params_.group.members.size()) {
    inputs_[params_.default_rank] = input;
    on_host_.set_on_host(true);
  }

  void begin() {
    int size = static_cast<int>(inputs_.size()), me = params_.default_rank;
    const Tensor& like = context_->input ? *context_->input : *context_->output;
    if (!like.TotalBytes() || size == 1) {
      if (size == 1) write_share(kind_, "", inputs_, me, context_->output);  // NCCL copies it, and launches nothing
      return ended_(Result());
    }
    for (int other = 0; other < size; other++)
      if (other != me) pending_ += contributes(me) + contributes(other);
    for (int other = 0; other < size; other++) {
      if (other == me) continue;
      if (contributes(me)) send(other);
      if (!contributes(other)) continue;
      if (params_.group.members[other].is_local) share(other);
      else take(other, like);
    }
    end(Result());
  }

 private:
  // Returns true if a GPU's input goes to the others: in a broadcast, only the source's does.
  bool contributes(int rank) const { return kind_ != BROADCAST || rank == params_.source_rank; }

  std::string key(int from, int to) const {
    return "tf1mem " + context_->exec_key + " " + std::to_string(from) + " " + std::to_string(to);
  }

  std::function<void(const Result&)> callback() {
    auto self = shared_from_this();
    return [self](const Result& result) { self->end(result); };
  }

  void send(int other) {
    const CollGroupMember& member = params_.group.members[other];
    context_->col_exec->remote_access()->PostToPeer(member.device.name(), member.task, key(params_.default_rank, other),
                                                    context_->device, context_->op_ctx->op_device_context(), on_host_,
                                                    &inputs_[params_.default_rank], context_->device_locality,
                                                    context_->op_ctx->cancellation_manager(), callback());
  }

  // Receives the input of another GPU of this process, without a copy.
  void share(int other) {
    auto self = shared_from_this();
    auto received = [self, other](const Result& result, BufRendezvous::Hook* hook) {
      if (result.ok()) self->inputs_[other] = *hook->prod_value;
      self->end(result);
      if (hook) BufRendezvous::DoneWithHook(hook);  // frees the hook, and this function, which it holds
    };
    const DeviceAttributes& device = params_.group.members[other].device;
    context_->col_exec->remote_access()->buf_rendezvous()->ConsumeBuf(key(other, params_.default_rank), device.name(),
                                                                      device.incarnation(), received,
                                                                      context_->op_ctx->cancellation_manager());
  }

  // Receives the input of a GPU of another process.
  void take(int other, const Tensor& like) {
    const CollGroupMember& member = params_.group.members[other];
    inputs_[other] = Tensor(cpu_allocator(), like.dtype(), like.shape());
    context_->col_exec->remote_access()->RecvFromPeer(
        member.device.name(), member.task, member.is_local, key(other, params_.default_rank), context_->device,
        context_->op_ctx->op_device_context(), on_host_, &inputs_[other], context_->device_locality, 0,
        context_->op_ctx->cancellation_manager(), callback());
  }

  // Notes that a call has ended. The last one writes the share; the first error ends the other calls.
  void end(const Result& result) {
    auto self = shared_from_this();
    {
      std::lock_guard<std::mutex> held(lock_);
      if (result_.ok() && !result.ok()) {
        result_ = result;
        pending_++;
        context_->col_exec->RunClosure([self] {
          self->abort();
          self->end(Result());
        });
      }
      if (pending_--) return;
    }
    // A callback's thread has other callbacks to run. The executor's own threads exist until its ops have ended.
    context_->col_exec->RunClosure([self] {
      if (self->result_.ok()) self->write();
      self->ended_(self->result_);
    });
  }

  // Ends the other calls, like TensorFlow's own rings: a send to a worker that is gone would wait for it.
  void abort() {
    CancellationManager* manager = context_->op_ctx->cancellation_manager();
    if (manager && (manager->IsCancelled() || manager->IsCancelling())) return;
    Launches::of_process().abort([this] { context_->col_exec->StartAbort(result_); });
  }

  void write() {
    std::string by = params_.merge_op ? params_.merge_op->type_string() : "";
    shared_(context_->op_ctx, *context_->output,
            write_share(kind_, by, inputs_, params_.default_rank, context_->output));
  }

  std::shared_ptr<CollectiveContext> context_;
  const CollectiveParams& params_;
  Combination kind_;
  Shared shared_;
  Ended ended_;
  std::vector<Tensor> inputs_;  // by rank
  AllocatorAttributes on_host_;
  std::mutex lock_;
  int pending_ = 0;  // the number of calls still to end, besides begin()
  Result result_;
};

// Gives access to the manager of a collective's executor, which contains the NCCL communicator.
struct ExecutorManager {
  using type = CollectiveExecutorMgrInterface* CollectiveExecutor::*;
  friend type member_of(ExecutorManager);
};
template struct Private<ExecutorManager, &CollectiveExecutor::cem_>;

using Enqueue = void (*)(NcclCommunicatorInterface*, std::shared_ptr<CollectiveContext>, StatusCallback);

// Returns the address of NcclCommunicatorInterface::Enqueue's entry in the class's table of virtual functions; nullptr
// without NCCL.
inline void** place_of_enqueue(CollectiveExecutor* executor) {
  NcclCommunicatorInterface* nccl = (executor->*member_of(ExecutorManager()))->GetNcclCommunicator();
  if (!nccl) return nullptr;
  // In the C++ ABI, a pointer to a virtual function is its offset in the class's table; one bit may mark it as virtual.
  auto function = &NcclCommunicatorInterface::Enqueue;
  uintptr_t distance;
  std::memcpy(&distance, &function, sizeof distance);
  return reinterpret_cast<void**>(*reinterpret_cast<char**>(nccl) + (distance & ~uintptr_t{1}));
}

}  // namespace values

#endif  // BEFORE(10)

#endif
