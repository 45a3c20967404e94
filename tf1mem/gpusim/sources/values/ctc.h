// CTCLossV2, whose only kernel is the GPU's, by cuDNN: its blank is the first class. It is computed as CTCLoss, whose
// blank is the last class, so the classes are reordered.
#ifndef TF1MEM_VALUES_CTC_H
#define TF1MEM_VALUES_CTC_H

#include <cstring>

#include "tensorflow.h"

namespace values {

const int CTC_LOGITS = 0, CTC_LABELS = 2;  // inputs: the scores of all classes, and the labels
const int CTC_GRADIENT = 1;                // output: the gradient of the scores

// Returns true for a CTCLossV2, after rewriting the node as CTCLoss.
inline bool take_ctc(NodeDef* node) {
  if (node->op() != "CTCLossV2") return false;
  node->set_op("CTCLoss");
  (*node->mutable_attr())["T"].set_type(DT_FLOAT);
  return true;
}

// Returns scores, or their gradient, with the blank moved: from the front to the end if `last`, else back to the front.
inline Tensor with_blank(const Tensor& scores, bool last) {
  int64_t classes = scores.dims() ? scores.dim_size(scores.dims() - 1) : 0;
  if (classes < 2 || !scores.NumElements()) return scores;
  Tensor result(cpu_allocator(), scores.dtype(), scores.shape());
  size_t unit = scores.TotalBytes() / scores.NumElements(), others = (classes - 1) * unit;
  const char* from = scores.tensor_data().data();
  char* to = const_cast<char*>(result.tensor_data().data());
  for (int64_t row = 0; row < scores.NumElements() / classes; row++, from += others + unit, to += others + unit) {
    std::memcpy(to + (last ? 0 : unit), from + (last ? unit : 0), others);
    std::memcpy(to + (last ? others : 0), from + (last ? 0 : others), unit);
  }
  return result;
}

// Renumbers the labels for the order with the blank last.
inline Tensor labels_with_blank_last(const Tensor& labels) {
  Tensor result(cpu_allocator(), labels.dtype(), labels.shape());
  auto from = labels.flat<int32_t>();
  auto to = result.flat<int32_t>();
  for (int64_t i = 0; i < labels.NumElements(); i++) to(i) = from(i) - 1;
  return result;
}

}  // namespace values

#endif
