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
void reduce_as(const std::string& by, const char* from, Tensor* to) {
  auto* given = reinterpret_cast<const T*>(from);
  auto made = to->flat<T>();
  bool multiplies = by == "Mul" || by == "prod", most = by == "Maximum" || by == "max";
  bool least = by == "Minimum" || by == "min";
  for (int64_t i = 0; i < made.size(); i++)
    if (multiplies) made(i) = made(i) * given[i];
    else if (most) made(i) = std::max(made(i), given[i]);
    else if (least) made(i) = std::min(made(i), given[i]);
    else made(i) = made(i) + given[i];
}

// False for a type that NCCL hasn't.
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

// Writes one member's share of what all bring, in their order; some may bring nothing. False where it can't be told.
inline bool write_share(Together kind, const std::string& by, const std::vector<Tensor>& given, size_t place,
                        Tensor* to) {
  char* begin = const_cast<char*>(to->tensor_data().data());
  size_t size = to->TotalBytes(), members = given.size(), written = 0;
  for (const Tensor& tensor : given) {
    if (!tensor.TotalBytes()) continue;
    if (tensor.dtype() != to->dtype()) return false;
    bool in_parts = kind == REDUCE_SCATTER || kind == ALL_TO_ALL;
    size_t bytes = in_parts ? tensor.TotalBytes() / members : tensor.TotalBytes();
    const char* from = tensor.tensor_data().data() + (in_parts ? place * bytes : 0);
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
