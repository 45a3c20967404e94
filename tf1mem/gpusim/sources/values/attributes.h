// Reads the attributes of a node; `otherwise` is the result for an attribute that the node lacks.
#ifndef TF1MEM_VALUES_ATTRIBUTES_H
#define TF1MEM_VALUES_ATTRIBUTES_H

#include <string>

#include "tensorflow.h"

namespace values {

inline int64_t number_of(const NodeDef& node, const char* name, int64_t otherwise) {
  auto attribute = node.attr().find(name);
  return attribute == node.attr().end() ? otherwise : attribute->second.i();
}

inline std::string text_of(const NodeDef& node, const char* name, const char* otherwise) {
  auto attribute = node.attr().find(name);
  return attribute == node.attr().end() ? otherwise : attribute->second.s();
}

inline bool flag_of(const NodeDef& node, const char* name, bool otherwise) {
  auto attribute = node.attr().find(name);
  return attribute == node.attr().end() ? otherwise : attribute->second.b();
}

}  // namespace values

#endif
