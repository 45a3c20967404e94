// Reads the attributes of a node.
#ifndef TF1MEM_VALUES_ATTRIBUTES_H
#define TF1MEM_VALUES_ATTRIBUTES_H

#include <string>

#include "tensorflow.h"

namespace values {

inline int64_t number_of(const NodeDef& node, const char* name, int64_t otherwise) {
  auto found = node.attr().find(name);
  return found == node.attr().end() ? otherwise : found->second.i();
}

inline std::string text_of(const NodeDef& node, const char* name, const char* otherwise) {
  auto found = node.attr().find(name);
  return found == node.attr().end() ? otherwise : found->second.s();
}

inline bool flag_of(const NodeDef& node, const char* name, bool otherwise) {
  auto found = node.attr().find(name);
  return found == node.attr().end() ? otherwise : found->second.b();
}

}  // namespace values

#endif
