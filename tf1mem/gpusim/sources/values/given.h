// Memory of the GPU kernel's outputs as that of the CPU kernel's, so that what is computed needs no copying.
#ifndef TF1MEM_VALUES_GIVEN_H
#define TF1MEM_VALUES_GIVEN_H

#include <atomic>
#include <string>

#include "tensorflow.h"
#include "tensorflow/core/lib/core/refcount.h"

namespace values {

// Gives out an output's memory once; what else is asked for is the host's. It lives for as long as anything of it does.
class Given : public Allocator, public core::RefCounted {
 public:
  explicit Given(const Tensor& output) : output_(output) {}
  std::string Name() override { return "tf1mem_given"; }
  void* AllocateRaw(size_t alignment, size_t bytes) override {
    Ref();
    bool fits = bytes == output_.TotalBytes();
    return fits && !taken_.exchange(true) ? memory() : cpu_allocator()->AllocateRaw(alignment, bytes);
  }
  void DeallocateRaw(void* place) override {
    if (place != memory()) cpu_allocator()->DeallocateRaw(place);
    Unref();
  }

 private:
  void* memory() const { return const_cast<char*>(output_.tensor_data().data()); }

  Tensor output_;
  std::atomic<bool> taken_{false};
};

// Those of the CPU kernel that runs in this thread, by output; null where an output has none.
inline std::vector<Given*>*& given_here() {
  static thread_local std::vector<Given*>* given;
  return given;
}

// The op whose kernel is run here by another: it has the account of what is allocated for it.
inline OpKernelContext*& asked_here() {
  static thread_local OpKernelContext* asked;
  return asked;
}

}  // namespace values

#endif
