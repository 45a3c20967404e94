// ApproxTopK for the smallest values, which has no kernel on any device, since only XLA compiles it. It is computed by
// ApproxTopK for the largest values: the input is negated, and so is the result.
#ifndef TF1MEM_VALUES_LEAST_H
#define TF1MEM_VALUES_LEAST_H

#include <map>
#include <string>

#include "attributes.h"
#include "tensorflow.h"

namespace values {

inline bool is_for_smallest(const NodeDef& node) {
  auto type = node.attr().find("T");
  return node.op() == "ApproxTopK" && !flag_of(node, "is_max_k", true) && type != node.attr().end() &&
         DataTypeIsFloating(type->second.type());
}

// Adds a Neg of the tensor `input` to a function.
inline void add_negative(FunctionDef* function, const std::string& name, const std::string& input,
                         const AttrValue& type) {
  NodeDef* node = function->add_node_def();
  node->set_name(name);
  node->set_op("Neg");
  node->add_input(input);
  (*node->mutable_attr())["T"] = type;
}

// Replaces each ApproxTopK for the smallest values in a function. Returns true if there was one.
inline bool replace_smallest(FunctionDef* function) {
  std::map<std::string, std::string> instead;  // name of a tensor -> name of its replacement
  for (int i = function->node_def_size() - 1; i >= 0; i--) {
    NodeDef* node = function->mutable_node_def(i);
    if (!is_for_smallest(*node)) continue;
    const std::string negated = node->name() + "/negated", least = node->name() + "/least";
    const std::string values = node->name() + ":values:0";
    AttrValue type = node->attr().at("T");
    add_negative(function, negated, node->input(0), type);
    node->set_input(0, negated + ":y:0");
    (*node->mutable_attr())["is_max_k"].set_b(true);
    add_negative(function, least, values, type);
    instead[values] = least + ":y:0";
  }
  // Ops that read the values now read the negated ones, except for the Neg that negates them.
  for (auto& node : *function->mutable_node_def())
    for (auto& input : *node.mutable_input())
      if (instead.count(input) && node.name() + ":y:0" != instead[input]) input = instead[input];
  for (auto& result : *function->mutable_ret())
    if (instead.count(result.second)) result.second = instead[result.second];
  return !instead.empty();
}

}  // namespace values

#endif
