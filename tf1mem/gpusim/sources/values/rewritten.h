// Functions that XLA would compile, rewritten so that each of their ops has a kernel on a simulated GPU.
#ifndef TF1MEM_VALUES_REWRITTEN_H
#define TF1MEM_VALUES_REWRITTEN_H

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cpu_only.h"
#include "least.h"
#include "tensorflow.h"

namespace values {

// Appends the names of the functions that a node calls, or runs as branches or bodies.
inline void add_called(const NodeDef& node, std::vector<std::string>* names) {
  names->push_back(node.op());
  for (const auto& attribute : node.attr()) {
    if (attribute.second.has_func()) names->push_back(attribute.second.func().name());
    for (const auto& function : attribute.second.list().func()) names->push_back(function.name());
  }
}

// Sets the options' library of functions to one in which the function and all that it calls are rewritten. Leaves the
// options unchanged if none of these functions has an op to rewrite.
inline void use_rewritten_library(const std::string& name, FunctionLibraryRuntime* library,
                                  FunctionLibraryRuntime::InstantiateOptions* options) {
  static std::mutex lock;
  // Instantiated functions refer to their library, so all libraries are kept until the process ends.
  static auto* libraries = new std::map<std::string, std::unique_ptr<FunctionLibraryDefinition>>;
  const FunctionLibraryDefinition& functions = *library->GetFunctionLibraryDefinition();
  std::vector<FunctionDef> changed;
  std::string key;  // the functions' definitions: two functions of one name may differ
  std::set<std::string> reached;
  for (std::vector<std::string> names = {name}; !names.empty();) {
    std::string next = names.back();
    names.pop_back();
    const FunctionDef* definition = functions.Find(next);
    if (!definition || !reached.insert(next).second) continue;
    key += definition->SerializeAsString();
    FunctionDef function = *definition;
    bool least = replace_smallest(&function), labelled = label_cpu_only(&function);
    for (const auto& node : function.node_def()) add_called(node, &names);
    if (least || labelled) changed.push_back(function);
  }
  if (changed.empty()) return;
  std::lock_guard<std::mutex> held(lock);
  auto& rewritten = (*libraries)[name + key];
  if (!rewritten) {
    rewritten.reset(new FunctionLibraryDefinition(functions));
    for (const FunctionDef& function : changed)
      if (!rewritten->ReplaceFunction(function.signature().name(), function).ok()) return rewritten.reset();
  }
  options->lib_def = rewritten.get();
}

}  // namespace values

#endif
