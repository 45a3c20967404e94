// What GPUs compute together: NCCL's sums and copies. Each GPU's op brings its input; once all have come, and NCCL has done
// its part for each, the results are written for all, and all ops end.
#ifndef TF1MEM_VALUES_MEETINGS_H
#define TF1MEM_VALUES_MEETINGS_H

#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "attributes.h"
#include "tensorflow.h"

namespace values {

using Done = std::function<void()>;

enum Together { REDUCE, REDUCE_SCATTER, GATHER, BROADCAST, ALL_TO_ALL, NOT_KNOWN };

inline Together together(const std::string& op) {
  auto has = [&](const char* part) { return op.find(part) != std::string::npos; };
  if (has("V3")) return NOT_KNOWN;  // its group is a resource
  if (has("ReduceScatter")) return REDUCE_SCATTER;
  if (has("Reduce")) return REDUCE;
  if (has("Gather")) return GATHER;
  if (has("Bcast") || has("Broadcast")) return BROADCAST;
  return has("AllToAll") ? ALL_TO_ALL : NOT_KNOWN;
}

// Whether an op is NCCL's. TensorFlow's own rings are copies, and ops that are computed as any others.
inline bool is_left_to_nccl(const NodeDef& node) {
  return node.op().find("Nccl") != std::string::npos || text_of(node, "communication_hint", "") == "nccl";
}

struct Member {
  OpKernelContext* context;
  Tensor given;  // in the host's memory: an op may write its output over its input
  Done done;
  bool ended;
};

inline bool in_order(const Member& one, const Member& other) {  // GPU:10 comes after GPU:2
  const std::string &a = one.context->device()->name(), &b = other.context->device()->name();
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

struct Meeting {
  std::string key;
  size_t size;
  std::vector<Member> members;
  bool broken;  // it failed for one, or has members in other processes
};

inline Tensor host_copy(const Tensor& tensor) {
  Tensor made(cpu_allocator(), tensor.dtype(), tensor.shape());
  if (tensor.TotalBytes())
    std::memcpy(const_cast<char*>(made.tensor_data().data()), tensor.tensor_data().data(), tensor.TotalBytes());
  return made;
}

template <typename T>
void reduce_as(const std::string& with, const Tensor& from, Tensor* to) {
  auto given = from.flat<T>();
  auto made = to->flat<T>();
  for (int64_t i = 0; i < from.NumElements(); i++)
    if (with == "mul" || with == "prod") made(i) = made(i) * given(i);
    else if (with == "max") made(i) = std::max(made(i), given(i));
    else if (with == "min") made(i) = std::min(made(i), given(i));
    else made(i) = made(i) + given(i);
}

template <typename T>
void divide_as(size_t by, Tensor* to) {
  auto made = to->flat<T>();
  for (int64_t i = 0; i < to->NumElements(); i++) made(i) = made(i) / static_cast<T>(by);
}

// with: the op to reduce by, in small letters. by: what to divide the result by. False for a type that NCCL hasn't.
inline bool reduce(const std::string& with, const std::vector<Member>& members, size_t by, Tensor* made) {
  bool begun = false;
  for (const Member& member : members) {
    if (!member.given.IsInitialized()) continue;
    if (!begun) {
      begun = true;
      *made = host_copy(member.given);
      continue;
    }
    if (member.given.NumElements() != made->NumElements() || member.given.dtype() != made->dtype()) return false;
    switch (made->dtype()) {
      case DT_HALF: reduce_as<Eigen::half>(with, member.given, made); break;
      case DT_BFLOAT16: reduce_as<bfloat16>(with, member.given, made); break;
      case DT_FLOAT: reduce_as<float>(with, member.given, made); break;
      case DT_DOUBLE: reduce_as<double>(with, member.given, made); break;
      case DT_INT32: reduce_as<int32_t>(with, member.given, made); break;
      case DT_INT64: reduce_as<Int64>(with, member.given, made); break;
      default: return false;
    }
  }
  if (by == 1) return begun;
  switch (made->dtype()) {
    case DT_HALF: divide_as<Eigen::half>(by, made); break;
    case DT_BFLOAT16: divide_as<bfloat16>(by, made); break;
    case DT_FLOAT: divide_as<float>(by, made); break;
    case DT_DOUBLE: divide_as<double>(by, made); break;
    case DT_INT32: divide_as<int32_t>(by, made); break;
    case DT_INT64: divide_as<Int64>(by, made); break;
    default: return false;
  }
  return begun;
}

// What each member's output holds, byte for byte. False where that isn't known.
inline bool results(const NodeDef& node, std::vector<Member>* members, std::vector<std::string>* made) {
  std::sort(members->begin(), members->end(), in_order);
  size_t count = members->size();
  auto bytes = [](const Tensor& tensor) { return std::string(tensor.tensor_data().data(), tensor.TotalBytes()); };
  std::string all;
  Together kind = together(node.op());
  if (kind == REDUCE || kind == REDUCE_SCATTER) {
    std::string with = text_of(node, "merge_op", text_of(node, "reduction", "sum").c_str());
    with[0] = static_cast<char>(std::tolower(with[0]));
    Tensor sum;
    if (!reduce(with, *members, text_of(node, "final_op", "Id") == "Div" ? count : 1, &sum)) return false;
    all = bytes(sum);
  } else {
    for (const Member& member : *members)
      if (member.given.IsInitialized()) all += bytes(member.given);
  }
  size_t part = all.size() / count;
  for (size_t i = 0; i < count; i++) {
    if (kind == REDUCE_SCATTER) made->push_back(all.substr(i * part, part));
    else if (kind != ALL_TO_ALL) made->push_back(all);
    else {
      made->emplace_back();
      for (size_t j = 0; j < count; j++) made->back() += all.substr(j * part + i * part / count, part / count);
    }
  }
  return true;
}

class Meetings {
 public:
  // tell: told of a kind of op that isn't computed.
  explicit Meetings(void (*tell)(const NodeDef&, const std::string&)) : tell_(tell) {}

  // Has the op join. Returns what is to be called when NCCL has done its part.
  Done join(const NodeDef& node, OpKernelContext* context, Done done) {
    Member member{context, brings(node) ? host_copy(context->input(0)) : Tensor(), std::move(done), false};
    std::string key = key_of(node, context);
    std::lock_guard<std::mutex> held(lock_);
    auto met = std::find_if(open_.begin(), open_.end(), [&](const Meeting& meeting) {
      return meeting.key == key && meeting.members.size() < meeting.size && !meeting.broken &&
             std::none_of(meeting.members.begin(), meeting.members.end(),
                          [&](const Member& other) { return other.context->device() == context->device(); });
    });
    if (met == open_.end()) met = open_.insert(met, Meeting{key, size_of(node, context), {}, false});
    met->members.push_back(std::move(member));
    return [this, met, context, node] { end(met, context, node); };
  }

  // Ops of the second version have the group as inputs, behind what they send.
  static size_t size_of(const NodeDef& node, OpKernelContext* context) {
    return node.attr().count("num_devices") ? number_of(node, "num_devices", 1) : group(node, context, "group_size", 0);
  }

 private:
  static bool brings(const NodeDef& node) {
    return node.op().find("Recv") == std::string::npos || node.op() == "_NcclReduceRecv";
  }

  static int64_t group(const NodeDef& node, OpKernelContext* context, const char* name, int place) {
    if (node.attr().count(name)) return number_of(node, name, 0);
    return context->input(brings(node) ? place + 1 : place).scalar<int32_t>()();
  }

  static std::string key_of(const NodeDef& node, OpKernelContext* context) {
    if (node.attr().count("shared_name")) return text_of(node, "shared_name", "");
    return std::to_string(group(node, context, "group_key", 1)) + ":" +
           std::to_string(group(node, context, "instance_key", 2));
  }

  // None ends before all have come: those who aren't there when the first ends are elsewhere.
  void end(std::list<Meeting>::iterator met, OpKernelContext* context, const NodeDef& node) {
    std::vector<Member> leaving;
    {
      std::lock_guard<std::mutex> held(lock_);
      for (Member& member : met->members) member.ended |= member.context == context;
      bool elsewhere = !met->broken && met->members.size() < met->size;
      if (elsewhere) tell_(node, "it is NCCL's, and GPUs of another process take part");
      met->broken |= elsewhere || !context->status().ok();
      auto waiting = std::stable_partition(met->members.begin(), met->members.end(),
                                           [](const Member& member) { return member.ended; });
      if (!met->broken && waiting != met->members.end()) return;
      if (!met->broken) write(node, met->members);
      leaving.assign(std::make_move_iterator(met->members.begin()), std::make_move_iterator(waiting));
      met->members.erase(met->members.begin(), waiting);
      if (met->members.empty()) open_.erase(met);
    }
    for (Member& member : leaving) member.done();
  }

  void write(const NodeDef& node, std::vector<Member>& members) {
    std::vector<std::string> made;
    if (!results(node, &members, &made)) return tell_(node, "its type is not known here");
    for (size_t i = 0; i < members.size(); i++) {
      Tensor* to = members[i].context->num_outputs() ? members[i].context->mutable_output(0) : nullptr;
      if (to && to->TotalBytes() == made[i].size())
        std::memcpy(const_cast<char*>(to->tensor_data().data()), made[i].data(), made[i].size());
    }
  }

  void (*tell_)(const NodeDef&, const std::string&);
  std::mutex lock_;
  std::list<Meeting> open_;
};

}  // namespace values

#endif
