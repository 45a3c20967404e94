// Channels first, which the CPU's kernels don't know: the node is written for channels last, and tensors are turned.
#ifndef TF1MEM_VALUES_LAYOUTS_H
#define TF1MEM_VALUES_LAYOUTS_H

#include <cstring>
#include <string>
#include <vector>

#include "tensorflow.h"

namespace values {

// What of an op lies in its data_format: bit i is input or output i.
struct Layout {
  const char* op;
  unsigned inputs, outputs;
  unsigned shapes;  // inputs that are vectors with an entry for each dimension
};

inline const Layout* layout_of(const std::string& op) {
  static const Layout layouts[] = {
      {"Conv2D", 1, 1, 0},
      {"_FusedConv2D", ~2u, 1, 0},  // biases have one dimension, and are left alone for it; a side input has four
      {"Conv2DBackpropInput", 4, 1, 1},
      {"Conv2DBackpropFilter", 5, 0, 0},
      {"DepthwiseConv2dNative", 1, 1, 0},
      {"_FusedDepthwiseConv2dNative", ~2u, 1, 0},
      {"DepthwiseConv2dNativeBackpropInput", 4, 1, 1},
      {"DepthwiseConv2dNativeBackpropFilter", 5, 0, 0},
      {"Conv3D", 1, 1, 0},
      {"Conv3DBackpropInputV2", 4, 1, 1},
      {"Conv3DBackpropFilterV2", 5, 0, 0},
      {"MaxPool", 1, 1, 0},
      {"MaxPoolV2", 1, 1, 6},
      {"MaxPoolGrad", 7, 1, 0},
      {"MaxPoolGradV2", 7, 1, 24},
      {"MaxPoolGradGrad", 7, 1, 0},
      {"MaxPoolGradGradV2", 7, 1, 24},
      {"AvgPool", 1, 1, 0},
      {"AvgPoolGrad", 2, 1, 1},
      {"MaxPool3D", 1, 1, 0},
      {"MaxPool3DGrad", 7, 1, 0},
      {"MaxPool3DGradGrad", 7, 1, 0},
      {"AvgPool3D", 1, 1, 0},
      {"AvgPool3DGrad", 2, 1, 1},
      {"BiasAdd", 1, 1, 0},
      {"BiasAddGrad", 1, 0, 0},
      {"FusedBatchNorm", 1, 1, 0},
      {"FusedBatchNormV2", 1, 1, 0},
      {"FusedBatchNormV3", 1, 1, 0},
      {"_FusedBatchNormEx", 1 | 32, 1, 0},
      {"FusedBatchNormGrad", 3, 1, 0},
      {"FusedBatchNormGradV2", 3, 1, 0},
      {"FusedBatchNormGradV3", 3, 1, 0},
      {"SpaceToDepth", 1, 1, 0},
      {"DepthToSpace", 1, 1, 0},
  };
  for (const Layout& layout : layouts)
    if (op == layout.op) return &layout;
  return nullptr;
}

// channel: the dimension of the channels before, where they go to: 1 to the last, or the last to 1.
inline std::vector<int> turn(int rank, bool to_last) {
  std::vector<int> order;
  order.push_back(0);
  if (!to_last) order.push_back(rank - 1);
  for (int i = to_last ? 2 : 1; i < (to_last ? rank : rank - 1); i++) order.push_back(i);
  if (to_last) order.push_back(1);
  return order;
}

inline void turn_list(AttrValue* attribute, int each) {
  auto* list = attribute->mutable_list()->mutable_i();
  int rank = list->size() / each;
  if (rank < 3) return;
  std::vector<int64_t> before(list->begin(), list->end());
  std::vector<int> order = turn(rank, true);
  for (int i = 0; i < rank; i++)
    for (int j = 0; j < each; j++) list->Set(i * each + j, before[order[i] * each + j]);
}

// The layout of a node whose channels come first, which is written anew for channels last; nullptr for all others.
inline const Layout* channels_last(NodeDef* node) {
  auto format = node->attr().find("data_format");
  if (format == node->attr().end()) return nullptr;
  const std::string& was = format->second.s();
  if (was != "NCHW" && was != "NCDHW") return nullptr;
  const Layout* layout = layout_of(node->op());
  if (!layout) return nullptr;
  (*node->mutable_attr())["data_format"].set_s(was == "NCHW" ? "NHWC" : "NDHWC");
  for (const char* name : {"strides", "dilations", "ksize"})
    if (node->attr().count(name)) turn_list(&(*node->mutable_attr())[name], 1);
  if (node->attr().count("explicit_paddings")) turn_list(&(*node->mutable_attr())["explicit_paddings"], 2);
  return layout;
}

inline void gather(const char* from, char* to, size_t unit, const std::vector<int64_t>& sizes,
                   const std::vector<int64_t>& strides, size_t dimension) {
  static thread_local char* next;
  if (dimension == 0) next = to;
  if (dimension == sizes.size()) {
    std::memcpy(next, from, unit);
    next += unit;
    return;
  }
  for (int64_t i = 0; i < sizes[dimension]; i++)
    gather(from + i * strides[dimension], to, unit, sizes, strides, dimension + 1);
}

// The tensor with its channels moved, in the host's memory; itself where it has no channels of its own.
inline Tensor turned(const Tensor& tensor, bool to_last) {
  int rank = tensor.dims();
  if (rank < 3 || !tensor.NumElements()) return tensor;
  std::vector<int> order = turn(rank, to_last);
  size_t unit = tensor.TotalBytes() / tensor.NumElements();
  std::vector<int64_t> stride(rank);
  int64_t step = unit;
  for (int i = rank - 1; i >= 0; step *= tensor.dim_size(i), i--) stride[i] = step;
  TensorShape shape;
  std::vector<int64_t> sizes, strides;
  for (int i : order) {
    shape.AddDim(tensor.dim_size(i));
    sizes.push_back(tensor.dim_size(i));
    strides.push_back(stride[i]);
  }
  Tensor made(cpu_allocator(), tensor.dtype(), shape);
  gather(tensor.tensor_data().data(), const_cast<char*>(made.tensor_data().data()), unit, sizes, strides, 0);
  return made;
}

// A vector of sizes with the channels moved.
inline Tensor turned_shape(const Tensor& sizes) {
  if (sizes.dims() != 1 || sizes.NumElements() < 3) return sizes;
  Tensor made(cpu_allocator(), sizes.dtype(), sizes.shape());
  size_t unit = sizes.TotalBytes() / sizes.NumElements();
  std::vector<int> order = turn(static_cast<int>(sizes.NumElements()), true);
  char* to = const_cast<char*>(made.tensor_data().data());
  for (size_t i = 0; i < order.size(); i++)
    std::memcpy(to + i * unit, sizes.tensor_data().data() + order[i] * unit, unit);
  return made;
}

}  // namespace values

#endif
