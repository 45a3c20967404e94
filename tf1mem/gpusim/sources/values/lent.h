// Lets a CPU kernel allocate its outputs in the memory of the GPU kernel's outputs, so that values needn't be copied.
#ifndef TF1MEM_VALUES_LENT_H
#define TF1MEM_VALUES_LENT_H

#include <atomic>
#include <string>
#include <vector>

#include "tensorflow.h"
#include "tensorflow/core/lib/core/refcount.h"

namespace values {

// An allocator that returns an output's memory at the first request of its size, and otherwise memory of the host. It
// lives as long as any tensor that it has allocated.
class LentMemory : public Allocator, public core::RefCounted {
 public:
  explicit LentMemory(const Tensor& output) : output_(output) {}
  std::string Name() override { return "tf1mem_lent"; }
  void* AllocateRaw(size_t alignment, size_t bytes) override {
    Ref();
    bool fits = bytes == output_.TotalBytes();
    return fits && !taken_.exchange(true) ? memory() : cpu_allocator()->AllocateRaw(alignment, bytes);
  }
  void DeallocateRaw(void* address) override {
    if (address != memory()) cpu_allocator()->DeallocateRaw(address);
    Unref();
  }

 private:
  void* memory() const { return const_cast<char*>(output_.tensor_data().data()); }

  Tensor output_;
  std::atomic<bool> taken_{false};
};

// The allocators for the CPU kernel that runs in this thread, one per output; null for an output whose memory isn't
// lent.
inline std::vector<LentMemory*>*& lent_here() {
  static thread_local std::vector<LentMemory*>* lent;
  return lent;
}

// The context of the GPU op for which a CPU kernel runs in this thread: memory of the GPU that the CPU kernel allocates
// is accounted to that op.
inline OpKernelContext*& accounted_here() {
  static thread_local OpKernelContext* context;
  return context;
}

}  // namespace values

#endif
