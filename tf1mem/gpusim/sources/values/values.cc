// Values for simulated GPUs: TensorFlow's own CPU kernels compute what the GPU's would have.
//
// A simulated GPU's memory is the host's, so a kernel for the CPU can read and write it. TensorFlow calls a kernel on a
// GPU by Device::Compute and ComputeAsync, two virtual functions; loading this library puts its own in their places in
// the table of the class GPUDevice. They let the GPU's kernel run, which takes all the memory that it takes on a GPU,
// and, where it launched anything, have the CPU's kernel compute the same op into the outputs (ways.h has the exceptions).
// Placement, allocators, copies, streams and everything that a GPU kernel does by itself stay as they are.
//
// The driver loads it at cuInit, when TensorFlow is there. It is compiled for one TensorFlow, with its headers.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>

#include "driver.h"
#include "layouts.h"
#include "tensorflow.h"
#include "ways.h"

namespace values {

const values_driver* driver;

// Set in the attributes of what a CPU kernel allocates on the GPU; the upper 8 bits are for devices to use.
const uint32_t ON_GPU = 1u << 24;

// The GPU as the CPU's kernels see it: what they allocate for themselves is the host's.
class HostSide : public DeviceBase {
 public:
  HostSide(DeviceBase* gpu, bool on_gpu) : DeviceBase(gpu->env()), gpu_(gpu), on_gpu_(on_gpu) {}
  Allocator* GetAllocator(AllocatorAttributes attributes) override {
    bool host = attributes.on_host() || !(on_gpu_ || (attributes.value & ON_GPU));
    return host ? cpu_allocator() : gpu_->GetAllocator(AllocatorAttributes());
  }
  const CpuWorkerThreads* tensorflow_cpu_worker_threads() const override {
    return gpu_->tensorflow_cpu_worker_threads();
  }
  bool has_eigen_cpu_device() const override { return gpu_->has_eigen_cpu_device(); }
  const Eigen::ThreadPoolDevice* eigen_cpu_device() override { return gpu_->eigen_cpu_device(); }
  const DeviceAttributes& attributes() const override { return gpu_->attributes(); }
  const std::string& name() const override { return gpu_->name(); }

 private:
  DeviceBase* gpu_;
  bool on_gpu_;
};

HostSide* host_side(DeviceBase* gpu, Way way) {
  static std::mutex lock;
  static auto* sides = new std::unordered_map<DeviceBase*, HostSide*[2]>;
  std::lock_guard<std::mutex> held(lock);
  HostSide*& side = (*sides)[gpu][way == IN_PLACE];
  if (!side) side = new HostSide(gpu, way == IN_PLACE);
  return side;
}

// The CPU's kernel for the op of a GPU kernel.
struct CpuKernel {
  std::unique_ptr<OpKernel> kernel;
  const Layout* layout;  // where the GPU's has channels first
  std::string error;     // why there is none
};

std::shared_ptr<CpuKernel> cpu_kernel(OpKernel* gpu, OpKernelContext* context, HostSide* side) {
  static std::mutex lock;
  static auto* all = new std::unordered_map<Identity, std::shared_ptr<CpuKernel>>;
  static size_t full = 1024;
  Identity identity = identity_of(gpu);
  {
    std::lock_guard<std::mutex> held(lock);
    auto found = all->find(identity);
    if (found != all->end()) return found->second;
  }
  auto made = std::make_shared<CpuKernel>();
  NodeDef node = gpu->def();
  made->layout = channels_last(&node);
  made->error = make_cpu_kernel(node, side, context, &made->kernel);
  std::lock_guard<std::mutex> held(lock);
  if (all->size() >= full) {
    for (auto it = all->begin(); it != all->end();) it = gone(it->first) ? all->erase(it) : std::next(it);
    full = 2 * all->size() + 1024;
  }
  return all->emplace(identity, made).first->second;
}

// One run of a CPU kernel, in place of or after a GPU kernel's.
class Run {
 public:
  Run(OpKernel* gpu, const CpuKernel& cpu, OpKernelContext* context, HostSide* side, Way way)
      : gpu_(gpu), cpu_(cpu), first_(context), params_(*params_of(context)), outputs_(gpu->num_outputs()) {
    driver->settle();  // inputs may still be on their way, and what the GPU's kernel has set to zero
    params_.eigen_gpu_device = nullptr;  // deleted by whoever has it
    params_.op_kernel = cpu.kernel.get();
    params_.device = side;
    params_.op_device_context = nullptr;
    params_.track_allocations = false;
    params_.stats_collector = nullptr;
    if (way == AFTER) params_.forward_from_array = nullptr;
    bool on_gpu = way != AFTER && !cpu.layout;
    for (int i = 0; i < gpu->num_outputs(); i++)
      if (on_gpu && gpu->output_memory_types()[i] == DEVICE_MEMORY) outputs_[i].value |= ON_GPU;
    params_.output_attr_array = outputs_.data();
    take_inputs(way);
  }

  // True where the outputs are there.
  bool compute() {
    second_.reset(new OpKernelContext(&params_));
    cpu_.kernel->Compute(second_.get());
    if (!second_->status().ok()) first_->SetStatus(second_->status());
    return second_->status().ok();
  }

  // Into the outputs that the GPU's kernel has allocated.
  void fill() {
    for (int i = 0; i < gpu_->num_outputs(); i++) {
      Tensor* to = first_->mutable_output(i);
      Tensor* from = second_->mutable_output(i);
      if (!to || !from || gpu_->output_memory_types()[i] == HOST_MEMORY || IsRefType(gpu_->output_type(i))) continue;
      if (!DataTypeCanUseMemcpy(from->dtype())) {
        first_->set_output(i, *from);
        continue;
      }
      Tensor made = cpu_.layout && (cpu_.layout->outputs >> i & 1) ? turned(*from, false) : *from;
      // What a GPU kernel keeps for its own gradient (FusedBatchNormV3's reserve space) has a size of its own.
      if (made.TotalBytes() != to->TotalBytes() || !to->TotalBytes()) continue;
      std::memcpy(const_cast<char*>(to->tensor_data().data()), made.tensor_data().data(), made.TotalBytes());
    }
  }

  // As outputs of the op, which the GPU's kernel has not run for.
  void hand_over() {
    for (int i = 0; i < gpu_->num_outputs(); i++) {
      if (IsRefType(gpu_->output_type(i))) {
        TensorValue reference = second_->release_output(i);
        if (reference.tensor) first_->set_output_ref(i, reference.mutex_if_ref, reference.tensor);
      } else if (Tensor* made = second_->mutable_output(i)) {
        first_->set_output(i, *made);
      }
    }
  }

 private:
  void take_inputs(Way way) {
    Inputs given = inputs_of(params_);
    held_.reserve(given.size());
    for (size_t i = 0; i < given.size(); i++) {
      const TensorValue& value = given[i];
      if (way != AFTER || value.is_ref() || !value.tensor) {
        inputs_.push_back(value);
        continue;
      }
      // A tensor of its own, so that nothing is forwarded to an output: the GPU kernel's may be that input already.
      const Layout* layout = cpu_.layout;
      if (layout && (layout->inputs >> i & 1)) held_.push_back(turned(*value.tensor, true));
      else if (layout && (layout->shapes >> i & 1)) held_.push_back(turned_shape(*value.tensor));
      else held_.push_back(*value.tensor);
      inputs_.push_back(TensorValue(&held_.back()));
    }
    attributes_.resize(inputs_.size());
    set_inputs(&params_, inputs_, attributes_);
  }

  OpKernel* gpu_;
  const CpuKernel& cpu_;
  OpKernelContext* first_;
  OpKernelContext::Params params_;
  std::vector<AllocatorAttributes> outputs_;
  std::vector<Tensor> held_;
  Inputs inputs_;
  Attributes attributes_;
  std::unique_ptr<OpKernelContext> second_;
};

// Told once for each op.
void tell(const OpKernel* kernel, const std::string& why) {
  static std::mutex lock;
  static auto* told = new std::set<std::string>;
  std::lock_guard<std::mutex> held(lock);
  if (told->insert(kernel->def().op()).second) driver->not_computed(kernel->def().op().c_str(), why.c_str());
}

// False where there is no such kernel.
bool compute_after(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context) {
  HostSide* side = host_side(gpu, AFTER);
  auto cpu = cpu_kernel(kernel, context, side);
  if (!cpu->kernel) {
    tell(kernel, cpu->error);
    return false;
  }
  Run run(kernel, *cpu, context, side, AFTER);
  if (run.compute()) run.fill();
  return true;
}

// False where there is no such kernel, or the GPU's is to run.
bool compute_instead(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context, Way way) {
  if (way == AFTER || way == BY_ITS_OPS) return false;
  HostSide* side = host_side(gpu, way);
  auto cpu = cpu_kernel(kernel, context, side);
  // An op that waits on both (for a queue, another device, a function) launches nothing itself.
  if (!cpu->kernel || cpu->kernel->AsAsync()) return false;
  Run run(kernel, *cpu, context, side, way);
  if (run.compute()) run.hand_over();
  return true;
}

// A kernel that is asynchronous on the GPU alone waits there for a value that was computed.
Way way_of(OpKernel* kernel) {
  Way way = way_of(kernel->def().op());
  return way == AFTER && kernel->AsAsync() ? ALONE : way;
}

void (*first_compute)(DeviceBase*, OpKernel*, OpKernelContext*);

void compute(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context) {
  Way way = way_of(kernel);
  if (compute_instead(gpu, kernel, context, way)) return;
  uint64_t before = driver->launches();
  first_compute(gpu, kernel, context);
  if (way == BY_ITS_OPS || driver->launches() == before || !context->status().ok()) return;
  if (compute_after(gpu, kernel, context)) driver->computed(before);
}

// Sums and copies between GPUs, which threads of NCCL's own launch.
bool is_left_to_nccl(const NodeDef& node) {
  auto hint = node.attr().find("communication_hint");
  return node.op().find("Nccl") != std::string::npos || (hint != node.attr().end() && hint->second.s() == "nccl");
}

using Done = std::function<void()>;
void (*first_compute_async)(DeviceBase*, AsyncOpKernel*, OpKernelContext*, Done);

void compute_async(DeviceBase* gpu, AsyncOpKernel* kernel, OpKernelContext* context, Done done) {
  Way way = way_of(kernel);
  if (compute_instead(gpu, kernel, context, way)) return done();
  if (is_left_to_nccl(kernel->def())) tell(kernel, "it is NCCL's");
  first_compute_async(gpu, kernel, context, std::move(done));
}

bool put(void** place, void* function) {
  size_t page = sysconf(_SC_PAGESIZE);
  char* begin = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(place) & ~(page - 1));
  size_t size = reinterpret_cast<char*>(place + 1) - begin;
  if (mprotect(begin, size, PROT_READ | PROT_WRITE)) return false;
  *place = function;
  return true;
}

template <typename Function>
bool replace(void* library, const char* symbol, Function* original, Function with) {
  enum { FIRST = 2, MOST = 80 };  // before FIRST stand an offset and the type; GPUDevice has some 40 functions
  auto** table = static_cast<void**>(dlsym(library, "_ZTVN10tensorflow9GPUDeviceE"));
  *original = reinterpret_cast<Function>(dlsym(library, symbol));
  for (int i = FIRST; table && *original && i < MOST; i++)
    if (table[i] == reinterpret_cast<void*>(*original)) return put(&table[i], reinterpret_cast<void*>(with));
  return false;
}

}  // namespace values

// Called once by the driver. tensorflow: the library that has GPUDevice. Returns whether values are computed from now on.
extern "C" __attribute__((visibility("default"))) bool tf1mem_values_start(void* tensorflow,
                                                                           const values_driver* driver) {
  values::driver = driver;
  return values::replace(tensorflow,
                         "_ZN10tensorflow13BaseGPUDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextE"
                         "St8functionIFvvEE",
                         &values::first_compute_async, values::compute_async) &&
         values::replace(tensorflow, "_ZN10tensorflow13BaseGPUDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
                         &values::first_compute, values::compute);
}
