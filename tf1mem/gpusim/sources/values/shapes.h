// Shapes and counters, which are computed even without values: TensorFlow assembles shapes on a GPU (DynamicStitch and
// Gather of int32) and counts steps there, and reads the results in the host's memory.
#ifndef TF1MEM_VALUES_SHAPES_H
#define TF1MEM_VALUES_SHAPES_H

#include "tensorflow.h"

namespace values {

// The largest tensors that may be shapes: of integers and booleans, in bytes; of floats, which are rounded to sizes, in
// elements.
const int64_t MOST_WHOLE = 64 << 10, MOST_OTHERS = 16;

inline bool is_whole(DataType type) { return DataTypeIsInteger(type) || type == DT_BOOL; }

inline bool may_be_shapes(const Tensor& tensor) {
  if (tensor.dtype() == DT_RESOURCE) return true;
  if (is_whole(tensor.dtype())) return static_cast<int64_t>(tensor.TotalBytes()) <= MOST_WHOLE;
  return DataTypeCanUseMemcpy(tensor.dtype()) && tensor.NumElements() <= MOST_OTHERS;
}

// Returns true for an integer variable that may be a counter.
inline bool is_counter(OpKernel* kernel) {
  for (int i = 0; i < kernel->num_inputs(); i++) {
    DataType type = BaseType(kernel->input_type(i));
    if (type != DT_RESOURCE && !is_whole(type)) return false;
  }
  return kernel->type_string().compare(0, 6, "Assign") == 0;
}

// Returns true if all inputs of an op may be shapes.
inline bool takes_shapes(OpKernelContext* context) {
  for (int i = 0; i < context->num_inputs(); i++)
    if (context->has_input(i) && (context->input_is_ref(i) || !may_be_shapes(context->input(i)))) return false;
  return true;
}

// Returns true if all outputs of an op may be shapes.
inline bool makes_shapes(OpKernelContext* context) {
  for (int i = 0; i < context->num_outputs(); i++) {
    if (IsRefType(context->expected_output_dtype(i))) return false;
    const Tensor* output = context->mutable_output(i);
    if (output && !may_be_shapes(*output)) return false;
  }
  return true;
}

}  // namespace values

#endif
