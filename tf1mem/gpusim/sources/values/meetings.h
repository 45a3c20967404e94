// NcclAllReduce, NcclReduce and NcclBroadcast, which combine the inputs of ops on several GPUs of one process, an op on
// each. An op joins a meeting with its input. Once all have, and NCCL has done its part for each, the outputs get their
// shares of the result, and all ops end.
#ifndef TF1MEM_VALUES_MEETINGS_H
#define TF1MEM_VALUES_MEETINGS_H

#include <algorithm>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "attributes.h"
#include "shares.h"
#include "tensorflow.h"
#include "threads.h"

namespace values {

using Done = std::function<void()>;

inline bool is_nccls(const NodeDef& node) { return node.op().find("Nccl") != std::string::npos; }

// One GPU's op.
struct Member {
  OpKernelContext* context;
  Tensor input;  // in the host's memory, since an op may write its output over its input
  Done done;
  bool ended;
};

inline bool in_order(const Member& one, const Member& other) {  // sorted by number: GPU:10 comes after GPU:2
  const std::string &a = one.context->device()->name(), &b = other.context->device()->name();
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// The GPUs' ops that combine their inputs in one call of NCCL.
struct Meeting {
  std::string key;
  size_t size;
  std::vector<Member> members;
  bool broken;  // true if NCCL failed for one of the members
};

class Meetings {
 public:
  // shared: called with each op's share of a result (shares.h).
  explicit Meetings(Shared shared) : shared_(shared) {}

  // Adds the op. Returns the function to call when NCCL has done its part.
  Done join(const NodeDef& node, OpKernelContext* context, Done done) {
    Member member{context, brings(node) ? host_copy(context->input(0)) : Tensor(), std::move(done), false};
    std::string key = text_of(node, "shared_name", "");
    std::lock_guard<std::mutex> held(lock_);
    auto met = std::find_if(open_.begin(), open_.end(), [&](const Meeting& meeting) {
      return meeting.key == key && meeting.members.size() < meeting.size && !meeting.broken &&
             std::none_of(
                 meeting.members.begin(), meeting.members.end(),
                 [&](const Member& other) { return other.context->device() == context->device(); });
    });
    if (met == open_.end()) {
      size_t size = number_of(node, "num_devices", 1);
      met = open_.insert(met, Meeting{key, size, {}, false});
    }
    met->members.push_back(std::move(member));
    return [this, met, context, node] { do_apart([this, met, context, node] { end(met, context, node); }); };
  }

 private:
  // Returns true if an op has an input to combine: the input of _NcclBroadcastRecv is only a shape.
  static bool brings(const NodeDef& node) {
    return node.op().find("Recv") == std::string::npos || node.op() == "_NcclReduceRecv";
  }

  // Ends an op whose part NCCL has done: once this holds for all members, it writes the shares and ends all of them.
  void end(std::list<Meeting>::iterator met, OpKernelContext* context, const NodeDef& node) {
    std::vector<Member> leaving;
    {
      std::lock_guard<std::mutex> held(lock_);
      for (Member& member : met->members) member.ended |= member.context == context;
      met->broken |= met->members.size() < met->size || !context->status().ok();
      auto waiting = std::stable_partition(met->members.begin(), met->members.end(),
                                           [](const Member& member) { return member.ended; });
      if (!met->broken && waiting != met->members.end()) return;
      if (!met->broken) write(node, &met->members);
      leaving.assign(std::make_move_iterator(met->members.begin()), std::make_move_iterator(waiting));
      met->members.erase(met->members.begin(), waiting);
      if (met->members.empty()) open_.erase(met);
    }
    for (Member& member : leaving) member.done();
  }

  void write(const NodeDef& node, std::vector<Member>* members) {
    std::sort(members->begin(), members->end(), in_order);
    std::vector<Tensor> inputs;
    for (const Member& member : *members) inputs.push_back(member.input);
    Combination kind = node.op().find("Reduce") != std::string::npos ? REDUCE : BROADCAST;
    std::string by = text_of(node, "reduction", "sum");
    for (size_t i = 0; i < inputs.size(); i++) {
      OpKernelContext* context = (*members)[i].context;
      Tensor* to = context->num_outputs() ? context->mutable_output(0) : nullptr;
      shared_(context, to ? *to : context->input(0), !to || write_share(kind, by, inputs, i, to));
    }
  }

  Shared shared_;
  std::mutex lock_;
  std::list<Meeting> open_;
};

}  // namespace values

#endif
