// Computes NCCL's results from the GPUs' inputs (sums, concatenated tensors), and each GPU's share of a result.
#ifndef TF1MEM_VALUES_SHARES_H
#define TF1MEM_VALUES_SHARES_H

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tensorflow.h"

namespace values {

enum Combination { REDUCE, REDUCE_SCATTER, GATHER, BROADCAST, ALL_TO_ALL };

// A function that is called with an op's share of a result; `written` is false if it couldn't be written.
using Shared = void (*)(OpKernelContext* context, const Tensor& share, bool written);

inline Tensor host_copy(const Tensor& tensor) {
  Tensor copy(cpu_allocator(), tensor.dtype(), tensor.shape());
  if (tensor.TotalBytes())
    std::memcpy(const_cast<char*>(copy.tensor_data().data()), tensor.tensor_data().data(), tensor.TotalBytes());
  return copy;
}

// Combines each element of `to` with the element at `from`, and writes it to `to`.
//
// by: TensorFlow's op (Add, Mul, Maximum, Minimum), or the reduction's name in the op NcclAllReduce (sum, prod, max,
// min).
template <typename T>
void reduce_as(const std::string& by, const char* from, Tensor* to) {
  auto* others = reinterpret_cast<const T*>(from);
  auto result = to->flat<T>();
  bool multiplies = by == "Mul" || by == "prod", most = by == "Maximum" || by == "max";
  bool least = by == "Minimum" || by == "min";
  for (int64_t i = 0; i < result.size(); i++)
    if (multiplies) result(i) = result(i) * others[i];
    else if (most) result(i) = std::max(result(i), others[i]);
    else if (least) result(i) = std::min(result(i), others[i]);
    else result(i) = result(i) + others[i];
}

// Calls reduce_as for the tensor's type. Returns false for a type that isn't in this list.
inline bool reduce(const std::string& by, const char* from, Tensor* to) {
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

// Writes one member's share of a result. Returns false if the type or the sizes aren't supported.
//
// inputs: those of all members, in order; empty tensors for members without an input.
// rank: the member's index among them.
inline bool write_share(Combination kind, const std::string& by, const std::vector<Tensor>& inputs, size_t rank,
                        Tensor* to) {
  char* begin = const_cast<char*>(to->tensor_data().data());
  size_t size = to->TotalBytes(), members = inputs.size(), written = 0;
  for (const Tensor& tensor : inputs) {
    if (!tensor.TotalBytes()) continue;
    if (tensor.dtype() != to->dtype()) return false;
    bool in_parts = kind == REDUCE_SCATTER || kind == ALL_TO_ALL;
    size_t bytes = in_parts ? tensor.TotalBytes() / members : tensor.TotalBytes();
    const char* from = tensor.tensor_data().data() + (in_parts ? rank * bytes : 0);
    if ((kind == REDUCE || kind == REDUCE_SCATTER) && written) {
      if (bytes != size || !reduce(by, from, to)) return false;
    } else {
      if (written + bytes > size) return false;
      std::memcpy(begin + written, from, bytes);
      written += bytes;
    }
  }
  return written == size;
}

}  // namespace values

#endif
