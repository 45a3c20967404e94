// Types for which only the GPU has a kernel. Short floats (float16, bfloat16) are computed in float32 and rounded. In
// ops that only move or compare elements, qint8 is treated as int8.
#ifndef TF1MEM_VALUES_TYPES_H
#define TF1MEM_VALUES_TYPES_H

#include "tensorflow.h"

namespace values {

inline bool is_short(DataType type) { return type == DT_HALF || type == DT_BFLOAT16; }

inline bool moves_or_compares(const NodeDef& node) {
  return node.op() == "DepthToSpace" || node.op() == "SpaceToDepth" || node.op() == "Relu";
}

// Rewrites the node's types: short floats to float32, qint8 to int8. Returns true if that changes it.
inline bool widen(NodeDef* node) {
  bool changed = false;
  for (auto& attribute : *node->mutable_attr()) {
    bool as_int8 = attribute.second.type() == DT_QINT8 && moves_or_compares(*node);
    if (!as_int8 && !is_short(attribute.second.type())) continue;
    attribute.second.set_type(as_int8 ? DT_INT8 : DT_FLOAT);
    changed = true;
  }
  return changed;
}

template <typename From, typename To>
void convert(const Tensor& from, Tensor* to) {
  auto source = from.flat<From>();
  auto target = to->flat<To>();
  for (int64_t i = 0; i < from.NumElements(); i++) target(i) = static_cast<To>(source(i));
}

// Returns a copy in float32 of a tensor of short floats, a view as int8 of a qint8 tensor, and any other as it is.
inline Tensor widened(const Tensor& tensor) {
  if (tensor.dtype() == DT_QINT8) {
    Tensor converted;
    converted.UnsafeCopyFromInternal(tensor, DT_INT8, tensor.shape());
    return converted;
  }
  if (!is_short(tensor.dtype())) return tensor;
  Tensor converted(cpu_allocator(), DT_FLOAT, tensor.shape());
  if (tensor.dtype() == DT_HALF) convert<Eigen::half, float>(tensor, &converted);
  else convert<bfloat16, float>(tensor, &converted);
  return converted;
}

// Returns a float32 tensor rounded to a short type; the tensor itself if either type is another.
inline Tensor narrowed(const Tensor& tensor, DataType type) {
  if (!is_short(type) || tensor.dtype() != DT_FLOAT) return tensor;
  Tensor converted(cpu_allocator(), type, tensor.shape());
  if (type == DT_HALF) convert<float, Eigen::half>(tensor, &converted);
  else convert<float, bfloat16>(tensor, &converted);
  return converted;
}

}  // namespace values

#endif
