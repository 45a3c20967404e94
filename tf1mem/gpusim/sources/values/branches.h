// Ops that call one of several functions (If, Case). A function returns int32 results in the host's memory, but the GPU
// kernels of these ops declare their outputs to be on the GPU, so ops that use an output would read a wrong place.
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

// Moves the op's outputs to the memory that its kernel declares.
inline void bring_to_gpu(const values_driver* driver, OpKernel* kernel, OpKernelContext* context) {
  for (int i = 0; context->status().ok() && i < kernel->num_outputs(); i++) {
    Tensor* output = context->mutable_output(i);
    if (!output || output->dtype() != DT_INT32 || kernel->output_memory_types()[i] == HOST_MEMORY ||
        !output->TotalBytes() || driver->has(output->tensor_data().data()))
      continue;
    Tensor there;
    auto result = context->allocate_temp(output->dtype(), output->shape(), &there);
    if (!result.ok()) return context->SetStatus(result);
    std::memcpy(const_cast<char*>(there.tensor_data().data()), output->tensor_data().data(), output->TotalBytes());
    *output = there;
  }
}

}  // namespace values

#endif
