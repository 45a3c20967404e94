// Ops that TensorFlow computes by oneDNN on a CPU, which is several times faster than its own kernels. Nodes with
// channels first get here after layouts.h has rewritten them: oneDNN would transpose their tensors itself, but slower.
#ifndef TF1MEM_VALUES_ONEDNN_H
#define TF1MEM_VALUES_ONEDNN_H

#include <memory>
#include <string>
#include <unordered_set>

#include "attributes.h"
#include "tensorflow.h"
#include "tensorflow/core/framework/node_def_util.h"
#if !BEFORE(10)
#include "tensorflow/core/util/util.h"
#endif

namespace values {

// Returns true for a channels-last node that pools over examples or channels, which oneDNN doesn't support, or that
// pools in three dimensions of space.
inline bool pools_batch_or_channels(const NodeDef& node) {
  auto attribute = node.attr().find("ksize");
  if (attribute == node.attr().end()) return false;
  const auto& sizes = attribute->second.list().i();
  return sizes.size() != 4 || sizes[0] != 1 || sizes[3] != 1;
}

// Returns the name of oneDNN's op for an op of float32 (some CPUs can't compute shorter types by oneDNN), or "" if
// TensorFlow on a CPU wouldn't use oneDNN for it.
inline std::string onednn_op(const NodeDef& node) {
#if !BEFORE(10)
  // clang-format off
  static const auto* ops = new std::unordered_set<std::string>{
      "AvgPool", "AvgPoolGrad", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D",
      "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2", "DepthwiseConv2dNative",
      "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput", "FusedBatchNorm",
      "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "FusedBatchNormV2", "FusedBatchNormV3",
      "MaxPool", "MaxPoolGrad", "_FusedConv2D", "_FusedDepthwiseConv2dNative",
  };
  // clang-format on
  auto type = node.attr().find("T");
  if (type == node.attr().end() || type->second.type() != DT_FLOAT || !IsMKLEnabled() ||
      text_of(node, "padding", "") == "EXPLICIT" || pools_batch_or_channels(node))
    return "";
  if (node.op() == "MatMul") return "_MklMatMul";
  if (ops->count(node.op())) return "_MklNative" + node.op().substr(node.op()[0] == '_');
#else
  (void)node;
#endif
  return "";
}

// Creates the kernel of an op of oneDNN, the name that onednn_op returned. Returns true if there is one.
inline bool make_onednn_kernel(NodeDef node, const std::string& op, DeviceBase* device, OpKernelContext* context,
                               std::unique_ptr<OpKernel>* kernel) {
  node.set_op(op);
  (*node.mutable_attr())["_kernel"].set_s("MklNameChangeOp");
  const OpDef* definition;
  if (op.empty() || !OpRegistry::Global()->LookUpOpDef(op, &definition).ok()) return false;
  AddDefaultsToNodeDef(*definition, &node);
  return make_cpu_kernel(node, device, context, kernel).empty();
}

// Returns the node with `count` inputs, without names: a kernel's constructor reads only the number of inputs.
inline NodeDef with_inputs(NodeDef node, int count) {
  node.clear_input();
  while (count--) node.add_input("input");
  return node;
}

}  // namespace values

#endif
