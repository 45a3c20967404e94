// Dilated convolutions that TensorFlow's CPU kernels don't compute: Conv3D, and the gradients of Conv2D and Conv3D. A
// convolution with dilations equals one without, whose filter has zeros between its elements.
#ifndef TF1MEM_VALUES_DILATIONS_H
#define TF1MEM_VALUES_DILATIONS_H

#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "tensorflow.h"

namespace values {

const int FILTER = 1;  // index of the input that is the filter; for a gradient of the filter, its sizes

// The dilation of each spatial dimension (a filter's first dimensions are the spatial ones); empty for a node without
// dilations.
using Dilations = std::vector<int64_t>;

inline bool is_filter_gradient(const NodeDef& node) { return node.op().find("BackpropFilter") != std::string::npos; }

// Returns the dilations of a node with channels last, and sets them to 1 in the node. Returns an empty vector, and
// changes nothing, if all are 1, or if the CPU kernel supports the op's dilations.
inline Dilations take_dilations(NodeDef* node) {
  // clang-format off
  static const auto* ops = new std::unordered_set<std::string>{
      "Conv2DBackpropInput", "Conv2DBackpropFilter", "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2",
  };
  // clang-format on
  auto attribute = node->mutable_attr()->find("dilations");
  if (!ops->count(node->op()) || attribute == node->mutable_attr()->end()) return {};
  auto* list = attribute->second.mutable_list()->mutable_i();
  Dilations dilations;
  bool any = false;
  for (int i = 1; i + 1 < list->size(); i++) {
    any = any || list->Get(i) != 1;
    dilations.push_back(list->Get(i));
    list->Set(i, 1);
  }
  return any ? dilations : Dilations();
}

// Returns the size that a dimension of the filter has with zeros, from the dimension's dilation and its size without.
inline int64_t spread_size(int64_t dilation, int64_t size) { return size ? (size - 1) * dilation + 1 : 0; }

// Copies the elements of a filter between two memories, dimension by dimension from `dimension` on.
//
// dimension: a spatial dimension; the pointers below are at the first element of the part to copy.
// filter: a tensor of the filter's shape.
// row: the bytes of all channels of one place, which are adjacent in both memories.
// spread: the memory of the filter with zeros between its elements.
// dense: the memory of the filter without them.
// to_spread: true to copy from `dense` to `spread`, false to copy back.
inline void copy_elements(const Dilations& dilations, size_t dimension, const Tensor& filter, size_t row, char* spread,
                          char* dense, bool to_spread) {
  if (dimension == dilations.size()) {
    std::memcpy(to_spread ? spread : dense, to_spread ? dense : spread, row);
    return;
  }
  size_t one_dense = row, one_spread = row;
  for (size_t i = dimension + 1; i < dilations.size(); i++) {
    one_dense *= filter.dim_size(i);
    one_spread *= spread_size(dilations[i], filter.dim_size(i));
  }
  for (int64_t i = 0; i < filter.dim_size(dimension); i++)
    copy_elements(dilations, dimension + 1, filter, row, spread + i * dilations[dimension] * one_spread,
                  dense + i * one_dense, to_spread);
}

// Returns the bytes of all channels of one place of a filter that isn't empty.
inline size_t bytes_of_row(const Dilations& dilations, const Tensor& filter) {
  size_t bytes = filter.TotalBytes();
  for (size_t i = 0; i < dilations.size(); i++) bytes /= filter.dim_size(i);
  return bytes;
}

inline char* bytes_in(const Tensor& tensor) { return const_cast<char*>(tensor.tensor_data().data()); }

// Returns the filter with zeros between its elements, in the host's memory.
inline Tensor dilated(const Tensor& filter, const Dilations& dilations) {
  if (!filter.NumElements()) return filter;
  TensorShape shape = filter.shape();
  for (size_t i = 0; i < dilations.size(); i++) shape.set_dim(i, spread_size(dilations[i], filter.dim_size(i)));
  Tensor result(cpu_allocator(), filter.dtype(), shape);
  std::memset(bytes_in(result), 0, result.TotalBytes());
  copy_elements(dilations, 0, filter, bytes_of_row(dilations, filter), bytes_in(result), bytes_in(filter), true);
  return result;
}

// Returns the sizes of the filter with zeros, from a vector of the filter's sizes, int32 or int64.
inline Tensor dilated_sizes(const Tensor& sizes, const Dilations& dilations) {
  Tensor result(cpu_allocator(), sizes.dtype(), sizes.shape());
  std::memcpy(bytes_in(result), bytes_in(sizes), sizes.TotalBytes());
  for (size_t i = 0; i < dilations.size(); i++) {
    if (sizes.dtype() == DT_INT32) result.flat<int32_t>()(i) = spread_size(dilations[i], result.flat<int32_t>()(i));
    else result.flat<Int64>()(i) = spread_size(dilations[i], result.flat<Int64>()(i));
  }
  return result;
}

// Returns the gradient of a filter of a shape, from the gradient of the filter with zeros between its elements.
inline Tensor thinned(const Tensor& gradient, const TensorShape& shape, const Dilations& dilations) {
  Tensor result(cpu_allocator(), gradient.dtype(), shape);
  if (result.NumElements())
    copy_elements(dilations, 0, result, bytes_of_row(dilations, result), bytes_in(gradient), bytes_in(result), false);
  return result;
}

}  // namespace values

#endif
