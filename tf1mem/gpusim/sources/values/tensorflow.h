// TensorFlow's classes for values.cc, with their changes from 1.15 to 2.22.
#ifndef TF1MEM_VALUES_TENSORFLOW_H
#define TF1MEM_VALUES_TENSORFLOW_H

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/public/version.h"

// From 2.19 on the headers don't have the version.
#ifdef TF_MAJOR_VERSION
#define BEFORE(minor) (TF_MAJOR_VERSION == 1 || (TF_MAJOR_VERSION == 2 && TF_MINOR_VERSION < (minor)))
#else
#define BEFORE(minor) 0
#endif

namespace values {
using namespace tensorflow;

// Gives access to a private member of a class. An explicit instantiation of a template may name such a member
// ([temp.spec]/6 of the C++ standard), and a friend function returns it.
template <typename Tag, typename Tag::type member>
struct Private {
  friend typename Tag::type member_of(Tag) { return member; }
};
struct ContextParams {
  using type = OpKernelContext::Params* OpKernelContext::*;
  friend type member_of(ContextParams);
};
template struct Private<ContextParams, &OpKernelContext::params_>;

inline OpKernelContext::Params* params_of(OpKernelContext* context) { return context->*member_of(ContextParams()); }

struct HeldOnce {
  using type = bool (Tensor::*)() const;
  friend type member_of(HeldOnce);
};
template struct Private<HeldOnce, &Tensor::RefCountIsOne>;

// Returns true if no other tensor shares the tensor's memory.
inline bool is_held_once(const Tensor& tensor) { return (tensor.*member_of(HeldOnce()))(); }

#if !BEFORE(3)
// A key for a kernel of TensorFlow. While it is held, no other kernel gets an equal one.
using Identity = std::shared_ptr<const NodeProperties>;
struct KernelProperties {
  using type = const Identity OpKernel::*;
  friend type member_of(KernelProperties);
};
template struct Private<KernelProperties, &OpKernel::props_>;

inline Identity identity_of(OpKernel* kernel) { return kernel->*member_of(KernelProperties()); }
// Returns true if the kernel doesn't exist any more: nothing else holds its key.
inline bool gone(const Identity& identity) { return identity.use_count() == 1; }
#else
// Kernels of these versions have no such key, so the whole node is the identity.
using Identity = std::string;
inline Identity identity_of(OpKernel* kernel) { return kernel->def().SerializeAsString(); }
inline bool gone(const Identity&) { return false; }
#endif

// Returns the version of the running graph. A CPU kernel is created for that version, since a newer version may refuse
// some ops of old graphs.
inline int graph_version(OpKernelContext* context) {
  auto* library = context->function_library();
  return library ? library->graph_def_version() : TF_GRAPH_DEF_VERSION;
}

// Creates the CPU kernel of a node. Returns "" or TensorFlow's error.
inline std::string make_cpu_kernel(const NodeDef& node, DeviceBase* device, OpKernelContext* context,
                                   std::unique_ptr<OpKernel>* cpu_kernel) {
  OpKernel* kernel = nullptr;
#if !BEFORE(3)
  std::shared_ptr<const NodeProperties> properties;
  auto status = NodeProperties::CreateFromNodeDef(node, OpRegistry::Global(), &properties);
  if (status.ok())
    status = CreateOpKernel(DEVICE_CPU, device, cpu_allocator(), context->function_library(),
                            context->resource_manager(), properties, graph_version(context), &kernel);
#else
  auto status = CreateOpKernel(DEVICE_CPU, device, cpu_allocator(), context->function_library(), node,
                               graph_version(context), &kernel);
#endif
  cpu_kernel->reset(kernel);
  return status.ok() ? "" : status.ToString();
}

// The options for running a function within a step.
#if !BEFORE(3)
inline FunctionLibraryRuntime::Options in_step(int64_t step) { return FunctionLibraryRuntime::Options(step); }
#else
// These versions choose a new step.
inline FunctionLibraryRuntime::Options in_step(int64_t) { return FunctionLibraryRuntime::Options(); }
#endif

// The C++ type of int64 elements: long long in older versions, int64_t in newer ones.
using Int64 = EnumToDataType<DT_INT64>::Type;

// The class of an error or success: tensorflow::Status, or absl::Status in newer versions.
using Result = std::decay<decltype(std::declval<OpKernelContext&>().status())>::type;

using Inputs = gtl::InlinedVector<TensorValue, 4>;
using Attributes = gtl::InlinedVector<AllocatorAttributes, 4>;

#if !BEFORE(8)
inline Inputs inputs_of(const OpKernelContext::Params& params) {
  return Inputs(params.inputs.begin(), params.inputs.end());
}
inline void set_inputs(OpKernelContext::Params* params, const Inputs& inputs, const Attributes& attributes) {
  params->inputs = inputs;
  params->input_alloc_attrs = attributes;
}
#else
inline Inputs inputs_of(const OpKernelContext::Params& params) { return *params.inputs; }
inline void set_inputs(OpKernelContext::Params* params, const Inputs& inputs, const Attributes& attributes) {
  params->inputs = &inputs;
  params->input_alloc_attrs = &attributes;
}
#endif

}  // namespace values

#endif
