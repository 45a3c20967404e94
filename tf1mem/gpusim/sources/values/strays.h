// Indices out of range ("strays"). For a CPU kernel they are an error. A GPU kernel writes zeros for values gathered by
// them (GatherV2), and NaN for a stray label (SparseSoftmaxCrossEntropyWithLogits), as TensorFlow documents. So the CPU
// kernel gets valid indices in their place, and its output for these is then overwritten.
#ifndef TF1MEM_VALUES_STRAYS_H
#define TF1MEM_VALUES_STRAYS_H

#include <cstring>
#include <string>
#include <vector>

#include "attributes.h"
#include "tensorflow.h"

namespace values {

const int INDICES = 1;  // the input with the indices or labels

// The kinds of ops whose indices may be strays. GATHERED_BY_ROWS: a row of indices, one for each dimension, selects an
// element or a slice (GatherNd).
enum Strays { NO_STRAYS, GATHERED, GATHERED_BY_ROWS, LABELS };

inline Strays strays_of(const NodeDef& node) {
  const std::string& op = node.op();
  if (op == "SparseSoftmaxCrossEntropyWithLogits") return LABELS;
  if (op == "Gather" || op == "GatherV2" || op == "ResourceGather") return GATHERED;
  bool ignores = text_of(node, "bad_indices_policy", "").empty();
  return (op == "GatherNd" || op == "ResourceGatherNd") && ignores ? GATHERED_BY_ROWS : NO_STRAYS;
}

// Returns the sizes of the input that is gathered from; empty if a variable doesn't report them.
inline std::vector<int64_t> sizes_of_first(const Tensor& first) {
  std::vector<int64_t> sizes;
  if (first.dtype() != DT_RESOURCE) {
    for (int i = 0; i < first.dims(); i++) sizes.push_back(first.dim_size(i));
    return sizes;
  }
  const auto shapes = first.flat<ResourceHandle>()(0).dtypes_and_shapes();
  if (shapes.size() != 1 || shapes[0].shape.dims() < 0) return sizes;
  for (int i = 0; i < shapes[0].shape.dims(); i++) sizes.push_back(shapes[0].shape.dim_size(i));
  return sizes;
}

// Returns the dimension that is gathered from. rank: of the input that is gathered from.
inline int axis_of(const NodeDef& node, OpKernelContext* context, int rank) {
  int64_t batch = number_of(node, "batch_dims", 0);
  if (node.op() == "ResourceGather") return static_cast<int>(batch);
  if (node.op() != "GatherV2") return 0;
  const Tensor& axis_input = context->input(2);
  int64_t axis = axis_input.dtype() == DT_INT32 ? axis_input.flat<int32>()(0) : axis_input.flat<Int64>()(0);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The indices for the CPU kernel, and the places where they differ from the op's.
struct ReplacedStrays {
  Tensor indices;
  std::vector<int64_t> places;  // the positions of the strays in the flat indices, or of rows that have one
  // The output's elements are [common, outer, indices, inner]: the dimensions that the input has in common with the
  // indices (batch_dims), those before the gathered one, the indices of one common entry, and those after it.
  int64_t common = 1, outer = 1, inner = 1;
};

// Writes zeros in place of strays. limits: the sizes of the dimensions that an index, or each of a row, refers to.
template <typename T>
void replace_strays(const std::vector<int64_t>& limits, const Tensor& indices, ReplacedStrays* replaced) {
  auto from = indices.flat<T>();
  auto out_of_range = [&](int64_t i) {
    for (size_t j = 0; j < limits.size(); j++)
      if (from(i + j) < 0 || from(i + j) >= limits[j]) return true;
    return false;
  };
  int64_t row = limits.size();
  for (int64_t i = 0; i < from.size(); i += row)
    if (out_of_range(i)) replaced->places.push_back(i / row);
  if (replaced->places.empty()) return;
  replaced->indices = Tensor(cpu_allocator(), indices.dtype(), indices.shape());
  auto to = replaced->indices.flat<T>();
  std::memcpy(to.data(), from.data(), indices.TotalBytes());
  for (int64_t place : replaced->places)
    for (int64_t j = 0; j < row; j++) to(place * row + j) = 0;
}

// Returns the indices with zeros in place of strays; `places` is empty if none is out of range, or if the range isn't
// known.
inline ReplacedStrays without_strays(Strays kind, const NodeDef& node, OpKernelContext* context) {
  ReplacedStrays replaced;
  std::vector<int64_t> sizes = sizes_of_first(context->input(0)), limits;
  const Tensor& indices = context->input(INDICES);
  int rank = static_cast<int>(sizes.size()), width = 1, axis = 0;
  if (!rank || !indices.NumElements()) return replaced;
  if (kind == LABELS) {
    if (rank != 2) return replaced;
    limits.push_back(sizes[1]);
  } else if (kind == GATHERED) {
    int batch = static_cast<int>(number_of(node, "batch_dims", 0));
    axis = axis_of(node, context, rank);
    if (batch < 0) batch += indices.dims();
    if (axis < batch || axis >= rank || batch < 0 || batch > indices.dims()) return replaced;
    limits.push_back(sizes[axis]);
    for (int i = 0; i < batch; i++) replaced.common *= sizes[i];
    for (int i = batch; i < axis; i++) replaced.outer *= sizes[i];
  } else {
    width = indices.dims() ? static_cast<int>(indices.dim_size(indices.dims() - 1)) : 0;
    if (width < 1 || width > rank) return replaced;
    limits.assign(sizes.begin(), sizes.begin() + width);
  }
  for (int64_t limit : limits)
    if (limit < 1) return replaced;
  for (int i = axis + width; i < rank && kind != LABELS; i++) replaced.inner *= sizes[i];
  if (replaced.inner < 0 || replaced.outer < 0 || replaced.common < 1) return replaced;
  if (indices.dtype() == DT_INT32) replace_strays<int32>(limits, indices, &replaced);
  else if (indices.dtype() == DT_INT64) replace_strays<Int64>(limits, indices, &replaced);
  return replaced;
}

template <typename T>
void make_not_a_number(Tensor* output, const std::vector<int64_t>& rows) {
  auto values = output->flat<T>();
  int64_t width = output->dims() < 2 ? 1 : output->dim_size(1);
  for (int64_t row : rows)
    for (int64_t i = 0; i < width; i++) values(row * width + i) = Eigen::NumTraits<T>::quiet_NaN();
}

// Overwrites the CPU kernel's output for strays with the GPU kernel's: NaN for labels, else zeros.
inline void write_over(Strays kind, const ReplacedStrays& replaced, OpKernelContext* context) {
  int64_t each = replaced.indices.NumElements();  // the number of indices, or of rows, for one common entry
  if (kind == LABELS) {
    for (int i = 0; i < 2; i++) {
      Tensor* output = context->mutable_output(i);
      if (output->dtype() == DT_FLOAT) make_not_a_number<float>(output, replaced.places);
      else if (output->dtype() == DT_DOUBLE) make_not_a_number<double>(output, replaced.places);
      else if (output->dtype() == DT_HALF) make_not_a_number<Eigen::half>(output, replaced.places);
      else if (output->dtype() == DT_BFLOAT16) make_not_a_number<bfloat16>(output, replaced.places);
    }
    return;
  }
  Tensor* output = context->mutable_output(0);
  if (!DataTypeCanUseMemcpy(output->dtype())) return;
  if (kind == GATHERED_BY_ROWS) each /= replaced.indices.dim_size(replaced.indices.dims() - 1);
  each /= replaced.common;
  size_t bytes = replaced.inner * DataTypeSize(output->dtype());
  if (bytes * each * replaced.outer * replaced.common != output->TotalBytes()) return;
  char* data = const_cast<char*>(output->tensor_data().data());
  for (int64_t place : replaced.places)
    for (int64_t i = 0; i < replaced.outer; i++)
      std::memset(data + ((place / each * replaced.outer + i) * each + place % each) * bytes, 0, bytes);
}

}  // namespace values

#endif
