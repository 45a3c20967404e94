// Shapes and counters, which are computed even without values: TensorFlow assembles shapes on a GPU (DynamicStitch and
// Gather of int32) and counts steps there, and reads the results in the host's memory.
#ifndef TF1MEM_VALUES_SHAPES_H
#define TF1MEM_VALUES_SHAPES_H

#include "tensorflow.h"

namespace values {

// The largest tensors that may be shapes: those of integers or booleans in bytes, and those of other types in elements,
// such as floats that a program rounds to sizes.
const int64_t MOST_INTEGER_BYTES = 64 << 10, MOST_OTHER_ELEMENTS = 16;

inline bool is_integer_or_bool(DataType type) { return DataTypeIsInteger(type) || type == DT_BOOL; }

inline bool may_be_shapes(const Tensor& tensor) {
  if (tensor.dtype() == DT_RESOURCE) return true;
  if (is_integer_or_bool(tensor.dtype())) return static_cast<int64_t>(tensor.TotalBytes()) <= MOST_INTEGER_BYTES;
  return DataTypeCanUseMemcpy(tensor.dtype()) && tensor.NumElements() <= MOST_OTHER_ELEMENTS;
}

// Returns true for a kernel that assigns to an integer variable, which may be a counter.
inline bool is_counter(OpKernel* kernel) {
  for (int i = 0; i < kernel->num_inputs(); i++) {
    DataType type = BaseType(kernel->input_type(i));
    if (type != DT_RESOURCE && !is_integer_or_bool(type)) return false;
  }
  return kernel->type_string().compare(0, 6, "Assign") == 0;
}

// Returns true if all inputs of an op may be shapes.
inline bool inputs_may_be_shapes(OpKernelContext* context) {
  for (int i = 0; i < context->num_inputs(); i++)
    if (context->has_input(i) && (context->input_is_ref(i) || !may_be_shapes(context->input(i)))) return false;
  return true;
}

// Returns true if all outputs of an op may be shapes.
inline bool outputs_may_be_shapes(OpKernelContext* context) {
  for (int i = 0; i < context->num_outputs(); i++) {
    if (IsRefType(context->expected_output_dtype(i))) return false;
    const Tensor* output = context->mutable_output(i);
    if (output && !may_be_shapes(*output)) return false;
  }
  return true;
}

}  // namespace values

#endif
