// NcclAllReduce, NcclReduce and NcclBroadcast, which combine the inputs of ops on several GPUs of one process, an op on
// each. An op joins a meeting with its input. Once all ops have joined, and NCCL has done its part for each, the
// outputs get their shares of the result, and all ops end.
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

inline bool is_nccl_op(const NodeDef& node) { return node.op().find("Nccl") != std::string::npos; }

// One GPU's op.
struct Member {
  OpKernelContext* context;
  Tensor input;  // in the host's memory, since an op may write its output over its input
  Done done;
  bool ended;
};

inline bool in_order(const Member& one, const Member& other) {  // by the devices' numbers: GPU:10 comes after GPU:2
  const std::string &a = one.context->device()->name(), &b = other.context->device()->name();
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// The GPUs' ops that combine their inputs in one call of NCCL.
struct Meeting {
  std::string key;
  size_t size;
  std::vector<Member> members;
  bool broken;  // true if NCCL failed for one of the members, or did its part before all had joined
};

class Meetings {
 public:
  // shared: a function that is called with each op's share of a result (shares.h).
  explicit Meetings(Shared shared) : shared_(shared) {}

  // Adds the op to a meeting, or opens one. Returns the function to call when NCCL has done the op's part.
  Done join(const NodeDef& node, OpKernelContext* context, Done done) {
    Member member{context, contributes(node) ? host_copy(context->input(0)) : Tensor(), std::move(done), false};
    std::string key = text_of(node, "shared_name", "");
    std::lock_guard<std::mutex> held(lock_);
    auto meeting = std::find_if(open_.begin(), open_.end(), [&](const Meeting& open) {
      return open.key == key && open.members.size() < open.size && !open.broken &&
             std::none_of(
                 open.members.begin(), open.members.end(),
                 [&](const Member& other) { return other.context->device() == context->device(); });
    });
    if (meeting == open_.end()) {
      size_t size = number_of(node, "num_devices", 1);
      meeting = open_.insert(meeting, Meeting{key, size, {}, false});
    }
    meeting->members.push_back(std::move(member));
    return
        [this, meeting, context, node] { do_apart([this, meeting, context, node] { end(meeting, context, node); }); };
  }

 private:
  // Returns true if an op contributes an input. The input of _NcclBroadcastRecv is only a shape.
  static bool contributes(const NodeDef& node) {
    return node.op().find("Recv") == std::string::npos || node.op() == "_NcclReduceRecv";
  }

  // Notes that NCCL has done an op's part. When it has done all members' parts, writes the shares and ends all ops.
  // In a broken meeting nothing is written, and each op ends when its part is done.
  void end(std::list<Meeting>::iterator meeting, OpKernelContext* context, const NodeDef& node) {
    std::vector<Member> leaving;
    {
      std::lock_guard<std::mutex> held(lock_);
      for (Member& member : meeting->members) member.ended |= member.context == context;
      meeting->broken |= meeting->members.size() < meeting->size || !context->status().ok();
      auto waiting = std::stable_partition(meeting->members.begin(), meeting->members.end(),
                                           [](const Member& member) { return member.ended; });
      if (!meeting->broken && waiting != meeting->members.end()) return;
      if (!meeting->broken) write(node, &meeting->members);
      leaving.assign(std::make_move_iterator(meeting->members.begin()), std::make_move_iterator(waiting));
      meeting->members.erase(meeting->members.begin(), waiting);
      if (meeting->members.empty()) open_.erase(meeting);
    }
    for (Member& member : leaving) member.done();
  }

  // Writes each member's share of the result. node: the definition of any member's op.
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
