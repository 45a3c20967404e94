// Functions that XLA would compile for the GPU. They run op by op instead, and each op is computed like any other.
#ifndef TF1MEM_VALUES_XLA_H
#define TF1MEM_VALUES_XLA_H

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "attributes.h"
#include "meetings.h"
#include "rewritten.h"
#include "tensorflow.h"
#include "threads.h"

namespace values {

// Returns true if XLA would compile the function that the node calls.
inline bool is_for_xla(const NodeDef& node) {
  return node.op() == "XlaLaunch" || node.op() == "_XlaCompile" || flag_of(node, "_XlaMustCompile", false);
}

// Returns the name of the function that a node calls, and the function's attributes.
inline NameAttrList called_by(const NodeDef& node) {
  for (const char* name : {"function", "f"})
    if (node.attr().count(name) && node.attr().at(name).has_func()) return node.attr().at(name).func();
  NameAttrList function;
  function.set_name(node.op());
  *function.mutable_attr() = node.attr();
  return function;
}

// Sets an op's outputs to a function's results, each in the memory that the op's kernel declares. A function returns
// int32 in the host's memory.
inline Result set_outputs(OpKernel* kernel, OpKernelContext* context, const std::vector<Tensor>& results) {
  for (int i = 0; i < static_cast<int>(results.size()); i++) {
    if (results[i].dtype() != DT_INT32 || kernel->output_memory_types()[i] == HOST_MEMORY) {
      context->set_output(i, results[i]);
      continue;
    }
    Tensor* to = nullptr;
    auto result = context->allocate_output(i, results[i].shape(), &to);
    if (!result.ok()) return result;
    std::memcpy(const_cast<char*>(to->tensor_data().data()), results[i].tensor_data().data(), results[i].TotalBytes());
  }
  return Result();
}

// Sets the outputs of an `_XlaCompile`, an empty key and "not compiled": TensorFlow then runs the ops of its function.
inline Result refuse_to_compile(OpKernelContext* context) {
  Tensor *key, *compiled;
  auto result = context->allocate_output(0, TensorShape({}), &key);
  if (result.ok()) result = context->allocate_output(1, TensorShape({}), &compiled);
  if (result.ok()) compiled->scalar<bool>()() = false;
  return result;
}

// Runs the function that a node calls, op by op, in place of the code that XLA would compile. For `_XlaCompile` it runs
// nothing: refuse_to_compile.
inline void run_uncompiled(OpKernel* kernel, OpKernelContext* context, Done done) {
  static std::once_flag reported;
  std::call_once(reported, [] {
    std::fputs(
        "tf1mem sim: XLA compiles nothing here: its functions run op by op, and reserve what their ops reserve\n",
        stderr);
  });
  auto* library = context->function_library();
  NameAttrList called = called_by(kernel->def());
  FunctionLibraryRuntime::InstantiateOptions instantiation;
  instantiation.target = context->device()->name();
  use_rewritten_library(called.name(), library, &instantiation);
  FunctionLibraryRuntime::Handle handle;
  auto result = kernel->def().op() == "_XlaCompile"
                    ? refuse_to_compile(context)
                    : library->Instantiate(called.name(), AttrSlice(&called.attr()), instantiation, &handle);
  if (!result.ok() || kernel->def().op() == "_XlaCompile") {
    if (!result.ok()) context->SetStatus(result);
    return done();
  }
  FunctionLibraryRuntime::Options options = in_step(context->step_id());
  options.create_rendezvous = true;  // other runs of the function send under the same names
  options.cancellation_manager = context->cancellation_manager();
  options.step_container = context->step_container();
  options.collective_executor = context->collective_executor();
  auto lane = std::make_shared<Lane>();
  auto runner = std::make_shared<std::function<void(std::function<void()>)>>(
      [lane](std::function<void()> work) { lane->add(std::move(work)); });
  options.runner = runner.get();
  std::vector<Tensor> arguments;
  for (int i = 0; i < context->num_inputs(); i++) arguments.push_back(context->input(i));
  auto results = std::make_shared<std::vector<Tensor>>();
  library->Run(options, handle, arguments, results.get(), [kernel, context, runner, results, done](const Result& ran) {
    auto result = ran.ok() ? set_outputs(kernel, context, *results) : ran;
    if (!result.ok()) context->SetStatus(result);
    done();
  });
}

}  // namespace values

#endif
