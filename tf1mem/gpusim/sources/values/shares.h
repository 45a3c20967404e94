// What NCCL makes of what GPUs bring: sums, and tensors one after the other; and each GPU's share of it.
#ifndef TF1MEM_VALUES_SHARES_H
#define TF1MEM_VALUES_SHARES_H

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tensorflow.h"

namespace values {

enum Together { REDUCE, REDUCE_SCATTER, GATHER, BROADCAST, ALL_TO_ALL };

// Told of an op's share, and whether it could be written.
using Shared = void (*)(OpKernelContext* context, const Tensor& share, bool written);

inline Tensor host_copy(const Tensor& tensor) {
  Tensor made(cpu_allocator(), tensor.dtype(), tensor.shape());
  if (tensor.TotalBytes())
    std::memcpy(const_cast<char*>(made.tensor_data().data()), tensor.tensor_data().data(), tensor.TotalBytes());
  return made;
}

// by: an op of TensorFlow's (Add, Mul, Maximum, Minimum), or what the op NcclAllReduce calls it (sum, prod, max, min).
template <typename T>
void reduce_as(const std::string& by, const Tensor& from, Tensor* to) {
  auto given = from.flat<T>();
  auto made = to->flat<T>();
  bool multiplies = by == "Mul" || by == "prod", most = by == "Maximum" || by == "max";
  bool least = by == "Minimum" || by == "min";
  for (int64_t i = 0; i < from.NumElements(); i++)
    if (multiplies) made(i) = made(i) * given(i);
    else if (most) made(i) = std::max(made(i), given(i));
    else if (least) made(i) = std::min(made(i), given(i));
    else made(i) = made(i) + given(i);
}

// False for a type that NCCL hasn't.
inline bool reduce(const std::string& by, const Tensor& from, Tensor* to) {
  if (from.NumElements() != to->NumElements() || from.dtype() != to->dtype()) return false;
  switch (to->dtype()) {
    case DT_HALF: reduce_as<Eigen::half>(by, from, to); return true;
    case DT_BFLOAT16: reduce_as<bfloat16>(by, from, to); return true;
    case DT_FLOAT: reduce_as<float>(by, from, to); return true;
    case DT_DOUBLE: reduce_as<double>(by, from, to); return true;
    case DT_INT32: reduce_as<int32_t>(by, from, to); return true;
    case DT_INT64: reduce_as<Int64>(by, from, to); return true;
    default: return false;
  }
}

// What all members bring, in their order, becomes this, byte for byte; some may bring nothing. False where it can't be
// told.
inline bool join_given(Together kind, const std::string& by, const std::vector<Tensor>& given, std::string* all) {
  auto append = [all](const Tensor& tensor) { all->append(tensor.tensor_data().data(), tensor.TotalBytes()); };
  if (kind != REDUCE && kind != REDUCE_SCATTER) {
    for (const Tensor& tensor : given) append(tensor);
    return true;
  }
  Tensor sum;
  for (const Tensor& tensor : given)
    if (!tensor.TotalBytes()) continue;
    else if (!sum.TotalBytes()) sum = host_copy(tensor);
    else if (!reduce(by, tensor, &sum)) return false;
  append(sum);
  return true;
}

// Writes one member's share of all. False where its memory is of another size.
inline bool share_out(Together kind, const std::string& all, size_t members, size_t place, Tensor* to) {
  size_t whole = all.size() / members, part = whole / members;
  char* begin = const_cast<char*>(to->tensor_data().data());
  bool parts = kind == REDUCE_SCATTER || kind == ALL_TO_ALL;
  if (to->TotalBytes() != (parts ? whole : all.size())) return false;
  if (kind == REDUCE_SCATTER) std::memcpy(begin, all.data() + place * whole, whole);
  else if (kind != ALL_TO_ALL) std::memcpy(begin, all.data(), all.size());
  else
    for (size_t i = 0; i < members; i++)
      std::memcpy(begin + i * part, all.data() + i * whole + place * part, part);
  return true;
}

}  // namespace values

#endif
