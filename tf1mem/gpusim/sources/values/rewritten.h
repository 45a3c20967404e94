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

// Gives the options a library in which the function, and those that it calls, are rewritten; leaves the options alone
// if no op of theirs has to be.
inline void instantiate_rewritten(const std::string& name, FunctionLibraryRuntime* library,
                                  FunctionLibraryRuntime::InstantiateOptions* options) {
  static std::mutex lock;
  static auto* known = new std::map<std::string, std::unique_ptr<FunctionLibraryDefinition>>;  // these live on
  const FunctionLibraryDefinition& functions = *library->GetFunctionLibraryDefinition();
  std::vector<FunctionDef> changed;
  std::string key;  // two functions of one name may differ
  std::set<std::string> reached;
  for (std::vector<std::string> names = {name}; !names.empty();) {
    std::string next = names.back();
    names.pop_back();
    const FunctionDef* definition = functions.Find(next);
    if (!definition || !reached.insert(next).second) continue;
    FunctionDef function = *definition;
    bool least = without_least(&function), labelled = label_cpu_only(&function);
    for (const auto& node : function.node_def()) add_called(node, &names);
    if (!least && !labelled) continue;
    key += definition->SerializeAsString();
    changed.push_back(function);
  }
  if (changed.empty()) return;
  std::lock_guard<std::mutex> held(lock);
  auto& rewritten = (*known)[name + key];
  if (!rewritten) {
    rewritten.reset(new FunctionLibraryDefinition(functions));
    for (const FunctionDef& function : changed)
      if (!rewritten->ReplaceFunction(function.signature().name(), function).ok()) return rewritten.reset();
  }
  options->lib_def = rewritten.get();
}

}  // namespace values

#endif
