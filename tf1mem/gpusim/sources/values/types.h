// Types for which only the GPU has a kernel: short floats are computed in float32, and rounded; for ops that only move
// or compare elements, qint8 is treated as int8.
#ifndef TF1MEM_VALUES_TYPES_H
#define TF1MEM_VALUES_TYPES_H

#include "tensorflow.h"

namespace values {

inline bool is_short(DataType type) { return type == DT_HALF || type == DT_BFLOAT16; }

inline bool keeps_elements(const NodeDef& node) {
  return node.op() == "DepthToSpace" || node.op() == "SpaceToDepth" || node.op() == "Relu";
}

// Rewrites the node for float32, or int8. Returns true if that changes it.
inline bool widen(NodeDef* node) {
  bool changed = false;
  for (auto& attribute : *node->mutable_attr()) {
    bool kept = attribute.second.type() == DT_QINT8 && keeps_elements(*node);
    if (!kept && !is_short(attribute.second.type())) continue;
    attribute.second.set_type(kept ? DT_INT8 : DT_FLOAT);
    changed = true;
  }
  return changed;
}

template <typename From, typename To>
void convert(const Tensor& from, Tensor* to) {
  auto given = from.flat<From>();
  auto made = to->flat<To>();
  for (int64_t i = 0; i < from.NumElements(); i++) made(i) = static_cast<To>(given(i));
}

inline Tensor widened(const Tensor& tensor) {
  if (tensor.dtype() == DT_QINT8) {
    Tensor made;
    made.UnsafeCopyFromInternal(tensor, DT_INT8, tensor.shape());
    return made;
  }
  if (!is_short(tensor.dtype())) return tensor;
  Tensor made(cpu_allocator(), DT_FLOAT, tensor.shape());
  if (tensor.dtype() == DT_HALF) convert<Eigen::half, float>(tensor, &made);
  else convert<bfloat16, float>(tensor, &made);
  return made;
}

inline Tensor narrowed(const Tensor& tensor, DataType type) {
  if (!is_short(type) || tensor.dtype() != DT_FLOAT) return tensor;
  Tensor made(cpu_allocator(), type, tensor.shape());
  if (type == DT_HALF) convert<float, Eigen::half>(tensor, &made);
  else convert<float, bfloat16>(tensor, &made);
  return made;
}

}  // namespace values

#endif
