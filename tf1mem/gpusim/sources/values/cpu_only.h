// Ops that XLA compiles for the GPU although they have no GPU kernel for their types, such as TensorScatterUpdate of
// booleans. A function for XLA runs op by op here (xla.h), so a GPU kernel is registered for each such op, and the CPU
// kernel computes in its place. The GPU kernel has a label, which only these nodes have in their attribute `_kernel`:
// TensorFlow places all other nodes as before.
#ifndef TF1MEM_VALUES_CPU_ONLY_H
#define TF1MEM_VALUES_CPU_ONLY_H

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "attributes.h"
#include "tensorflow.h"
#include "tensorflow/core/framework/node_def_util.h"

namespace values {

const char KERNEL_LABEL[] = "_kernel", CPU_ONLY[] = "tf1mem_cpu_only";

inline bool is_cpu_only(const NodeDef& node) { return text_of(node, KERNEL_LABEL, "") == CPU_ONLY; }

// The GPU kernel of such an op. It only runs, and then fails, if no CPU kernel computes in its place.
class CpuOnlyKernel : public OpKernel {
 public:
  explicit CpuOnlyKernel(OpKernelConstruction* construction) : OpKernel(construction) {}
  void Compute(OpKernelContext* context) override {
    context->SetStatus(errors::Unimplemented(type_string(), " has no kernel that computes on a simulated GPU"));
  }
};

// Returns true if a kernel is registered for the node, with the types of its attributes, on a type of device.
inline bool has_kernel(const NodeDef& node, const char* device) {
  const KernelDef* kernel;
  return FindKernelDef(DeviceType(device), node, &kernel, nullptr).ok();
}

// Registers a CpuOnlyKernel for an op, once.
inline void register_cpu_only(const std::string& op) {
  static std::mutex lock;
  static auto* registered = new std::set<std::string>;
  std::lock_guard<std::mutex> held(lock);
  if (!registered->insert(op).second) return;
  const KernelDef* kernel = KernelDefBuilder(registered->find(op)->c_str()).Device(DEVICE_GPU).Label(CPU_ONLY).Build();
  kernel_factory::OpKernelRegistrar(kernel, "CpuOnlyKernel", [](OpKernelConstruction* construction) -> OpKernel* {
    return new CpuOnlyKernel(construction);
  });
}

// Sets the label of the function's nodes whose only kernel is for the CPU, and registers their GPU kernels. Returns
// true if there are such nodes.
inline bool label_cpu_only(FunctionDef* function) {
  bool any = false;
  for (auto& node : *function->mutable_node_def()) {
    NodeDef complete = node;  // a function's nodes may lack attributes that have a default
    const OpDef* op;
    if (!OpRegistry::Global()->LookUpOpDef(node.op(), &op).ok()) continue;
    AddDefaultsToNodeDef(*op, &complete);
    if (has_kernel(complete, DEVICE_GPU) || !has_kernel(complete, DEVICE_CPU)) continue;
    register_cpu_only(node.op());
    (*node.mutable_attr())[KERNEL_LABEL].set_s(CPU_ONLY);
    any = true;
  }
  return any;
}

}  // namespace values

#endif
