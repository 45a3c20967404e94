// Ops that call one of several functions (If, Case). A function returns int32 results in the host's memory, but the GPU
// kernels of these ops declare their outputs to be on the GPU, where the next ops would read them.
#ifndef TF1MEM_VALUES_BRANCHES_H
#define TF1MEM_VALUES_BRANCHES_H

#include <cstring>
#include <string>

#include "driver.h"
#include "tensorflow.h"

namespace values {

inline bool is_branch(const std::string& op) {
  return op == "If" || op == "StatelessIf" || op == "Case" || op == "StatelessCase";
}

// Copies the op's int32 outputs to the GPU where its kernel declares them to be there.
inline void bring_to_gpu(const values_driver* driver, OpKernel* kernel, OpKernelContext* context) {
  for (int i = 0; context->status().ok() && i < kernel->num_outputs(); i++) {
    Tensor* output = context->mutable_output(i);
    if (!output || output->dtype() != DT_INT32 || kernel->output_memory_types()[i] == HOST_MEMORY ||
        !output->TotalBytes() || driver->has_allocated(output->tensor_data().data()))
      continue;
    Tensor on_gpu;
    auto result = context->allocate_temp(output->dtype(), output->shape(), &on_gpu);
    if (!result.ok()) return context->SetStatus(result);
    std::memcpy(const_cast<char*>(on_gpu.tensor_data().data()), output->tensor_data().data(), output->TotalBytes());
    *output = on_gpu;
  }
}

}  // namespace values

#endif
