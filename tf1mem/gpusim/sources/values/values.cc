// Values for simulated GPUs: TensorFlow's own CPU kernels compute the GPU kernels' results.
//
// A simulated GPU's memory is the host's, so a CPU kernel can read and write it. TensorFlow calls a GPU kernel by
// Device::Compute and ComputeAsync, two virtual functions. When this library is loaded, it replaces them in the class
// GPUDevice's table of virtual functions. The replacements run the GPU kernel, which allocates all its memory as on a
// GPU. If it launched anything, they run the CPU kernel of the same op, which computes into the same outputs (ways.h
// has the exceptions, collectives.h and meetings.h the ops of several GPUs, xla.h functions that XLA would compile).
// Placement, allocators, copies, streams and everything that a GPU kernel does itself stay the same.
//
// The driver loads this library at cuInit, when TensorFlow is loaded. The library is compiled for one TensorFlow, with
// that TensorFlow's headers.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "branches.h"
#include "collectives.h"
#include "cpu_only.h"
#include "ctc.h"
#include "dilations.h"
#include "driver.h"
#include "lent.h"
#include "layouts.h"
#include "meetings.h"
#include "onednn.h"
#include "rnn.h"
#include "shapes.h"
#include "strays.h"
#include "tensorflow.h"
#include "threads.h"
#include "types.h"
#include "ways.h"
#include "xla.h"

namespace values {

const values_driver* driver;

// Marks in AllocatorAttributes::value, whose upper 8 bits TensorFlow reserves for devices; HostSide reads them. The bit
// ON_GPU requests memory on the GPU. The bits from OUTPUT on are the index of an output plus 1, at most MOST_OUTPUTS,
// or 0 for memory that is no output's.
const uint32_t ON_GPU = 1u << 24, OUTPUT = 25, MOST_OUTPUTS = 127;

// The device that CPU kernels run on instead of a GPU. Their temporary memory is the host's, or the GPU's if `on_gpu`.
class HostSide : public DeviceBase {
 public:
  HostSide(DeviceBase* gpu, bool on_gpu) : DeviceBase(gpu->env()), gpu_(gpu), on_gpu_(on_gpu) {}
  Allocator* GetAllocator(AllocatorAttributes attributes) override {
    bool host = attributes.on_host() || !(on_gpu_ || (attributes.value & ON_GPU));
    uint32_t output = attributes.value >> OUTPUT;
    if (output && lent_here() && (*lent_here())[output - 1]) return (*lent_here())[output - 1];
    if (host) return cpu_allocator();
    return accounted_here() ? accounted_here()->get_allocator(AllocatorAttributes())
                            : gpu_->GetAllocator(AllocatorAttributes());
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

// Returns the GPU's HostSide for a way; it is created at the first call.
HostSide* host_side(DeviceBase* gpu, Way way) {
  static std::mutex lock;
  static auto* sides = new std::unordered_map<DeviceBase*, HostSide* [2]>;
  std::lock_guard<std::mutex> held(lock);
  HostSide*& side = (*sides)[gpu][way == IN_PLACE];
  if (!side) side = new HostSide(gpu, way == IN_PLACE);
  return side;
}

// The launches of all ops of one type: those whose values were computed, and the others.
struct Count {
  std::atomic<uint64_t> computed{0}, not_computed{0};
};

std::mutex counts_lock;
auto* counts = new std::map<std::string, Count>;

Count* count_of(const std::string& op) {
  std::lock_guard<std::mutex> held(counts_lock);
  return &(*counts)[op];
}

// The CPU kernel for the op of a GPU kernel.
struct CpuKernel {
  std::unique_ptr<OpKernel> kernel;
  std::unique_ptr<OpKernel> pooling;  // for oneDNN's MaxPoolGrad: the MaxPool whose workspace `kernel` reads
  Count* count;
  bool widened;            // true if the types are rewritten for this kernel (types.h)
  const Layout* layout;    // set if the GPU kernel has channels first
  std::vector<int> terms;  // the order in which an AddN adds its inputs; empty: in the order of the inputs
  int packed;              // the number of adjacent channels that move as one: PACKED or 1 (layouts.h)
  Dilations dilations;     // the op's dilations, if this kernel gets zeros in the filter instead (dilations.h)
  Strays strays;           // the kind of indices that this kernel refuses and the GPU's accepts
  bool ctc;                // true if this kernel is CTCLoss for CTCLossV2 (ctc.h)
  std::string error;       // TensorFlow's error if there is no kernel
};

// Returns the number of dimensions of an op's first input; 0 if there is none, or if it is a reference.
int rank_of_first(OpKernelContext* context) {
  bool has = context->num_inputs() && context->has_input(0) && !context->input_is_ref(0);
  return has ? context->input(0).dims() : 0;
}

// Returns the CPU kernel for a GPU kernel; creates it at the first call. When the table of kernels is full, those whose
// GPU kernel is gone, such as with a closed Session, are dropped.
std::shared_ptr<CpuKernel> cpu_kernel(OpKernel* gpu, OpKernelContext* context, HostSide* side) {
  static std::mutex lock;
  static auto* all = new std::unordered_map<Identity, std::shared_ptr<CpuKernel>>;
  static size_t full = 1024;
  Identity identity = identity_of(gpu);
  {
    std::lock_guard<std::mutex> held(lock);
    auto entry = all->find(identity);
    if (entry != all->end()) return entry->second;
  }
  auto kernel = std::make_shared<CpuKernel>();
  NodeDef node = gpu->def();
  if (is_cpu_only(node)) node.mutable_attr()->erase(KERNEL_LABEL);
  kernel->count = count_of(node.op());
  kernel->strays = strays_of(node);
  kernel->packed = is_packed(node) ? PACKED : 1;
  if (!supports_channels_first(node, rank_of_first(context))) kernel->layout = rewrite_channels_last(&node);
  if (!kernel->layout) kernel->layout = layout_of_reduction(node);
  kernel->terms = order_of_terms(node);
  bool reads_workspace = node.op() == "MaxPoolGrad";
  bool onednn = make_onednn_kernel(reads_workspace ? with_inputs(node, 4) : node, onednn_op(node), side, context,
                                   &kernel->kernel);
  if (onednn && reads_workspace)
    onednn = make_onednn_kernel(with_inputs(node, 1), "_MklNativeMaxPool", side, context, &kernel->pooling);
  if (!onednn) {
    kernel->dilations = take_dilations(&node);
    kernel->ctc = take_ctc(&node);
    kernel->error = make_cpu_kernel(node, side, context, &kernel->kernel);
  }
  kernel->widened = !kernel->kernel && way_of(node.op()) == AFTER && widen(&node) &&
                    make_cpu_kernel(node, side, context, &kernel->kernel).empty();
  std::lock_guard<std::mutex> held(lock);
  if (all->size() >= full) {
    for (auto it = all->begin(); it != all->end();) it = gone(it->first) ? all->erase(it) : std::next(it);
    full = 2 * all->size() + 1024;
  }
  return all->emplace(identity, kernel).first->second;
}

// One run of a CPU kernel, instead of a GPU kernel or after it. `context_` is the op's own context, in which a GPU
// kernel runs; `cpu_context_` is the CPU kernel's.
class Run {
 public:
  Run(OpKernel* gpu, const CpuKernel& cpu, OpKernelContext* context, HostSide* side, Way way)
      : gpu_(gpu),
        cpu_(cpu),
        context_(context),
        params_(*params_of(context)),
        way_(way),
        workers_(side->tensorflow_cpu_worker_threads()->workers),
        outputs_(cpu.kernel->num_outputs()) {
    driver->settle();  // copies of inputs, and memsets by the GPU kernel, may still be enqueued
    params_.eigen_gpu_device = nullptr;  // the destructor of Params deletes it: only the op's own may
    params_.op_kernel = cpu.kernel.get();
    params_.device = side;
    params_.op_device_context = nullptr;
    params_.track_allocations = false;
    params_.stats_collector = nullptr;
    if (way == AFTER) params_.forward_from_array = nullptr;
    bool on_gpu = way != AFTER && way != COPIED && !cpu.layout;
    for (int i = 0; i < gpu->num_outputs(); i++)
      if (on_gpu && gpu->output_memory_types()[i] == DEVICE_MEMORY) outputs_[i].value |= ON_GPU;
    if (way == AFTER) lend_outputs();
    params_.output_attr_array = outputs_.data();
    take_inputs(way);
  }

  ~Run() {
    for (LentMemory* memory : lent_)
      if (memory) memory->Unref();
  }

  // Runs the kernel. Returns true if it succeeded.
  bool compute() {
    if (cpu_.pooling && !pool()) return false;
    cpu_context_.reset(new OpKernelContext(&params_));
    // A kernel may run within another one, which called the function that has this op.
    std::vector<LentMemory*>* outer_lent = lent_here();
    OpKernelContext* outer_context = accounted_here();
    lent_here() = &lent_;
    accounted_here() = context_;
    cpu_.kernel->Compute(cpu_context_.get());
    lent_here() = outer_lent;
    accounted_here() = outer_context;
    // In a simulation without values, an error may come from an input that nothing has computed.
    bool is_error_of_op = driver->values || way_ != AFTER;
    if (!cpu_context_->status().ok() && is_error_of_op) context_->SetStatus(cpu_context_->status());
    return cpu_context_->status().ok();
  }

  // Copies the results into the outputs that the GPU kernel has allocated, unless they are there already.
  void fill() {
    for (int i = 0; i < gpu_->num_outputs(); i++) {
      Tensor* to = context_->mutable_output(i);
      Tensor* from = cpu_context_->mutable_output(i);
      if (!to || !from || gpu_->output_memory_types()[i] == HOST_MEMORY || IsRefType(gpu_->output_type(i))) continue;
      if (!DataTypeCanUseMemcpy(from->dtype())) {
        *to = *from;
        continue;
      }
      if (from->tensor_data().data() == to->tensor_data().data()) continue;  // the kernel wrote into the lent memory
      Tensor result = cpu_.widened ? narrowed(*from, to->dtype()) : *from;
      if (!cpu_.dilations.empty() && is_filter_gradient(gpu_->def()))
        result = thinned(result, to->shape(), cpu_.dilations);
      // The size of a GPU kernel's data for its own gradient (FusedBatchNormV3's reserve space) differs from the CPU
      // kernel's.
      if (result.TotalBytes() != to->TotalBytes() || !to->TotalBytes()) continue;
      char* place = const_cast<char*>(to->tensor_data().data());
      if (has_layout(i) && has_channels(result)) write_with_channels_moved(result, false, cpu_.packed, place, workers_);
      else std::memcpy(place, result.tensor_data().data(), result.TotalBytes());
    }
    if (!replaced_strays_.places.empty()) write_over(cpu_.strays, replaced_strays_, context_);
  }

  // Sets the op's outputs, whose GPU kernel has not run, to the results.
  void hand_over() {
    for (int i = 0; i < gpu_->num_outputs(); i++) {
      if (IsRefType(gpu_->output_type(i))) {
        TensorValue reference = cpu_context_->release_output(i);
        if (reference.tensor) context_->set_output_ref(i, reference.mutex_if_ref, reference.tensor);
      } else if (Tensor* tensor = cpu_context_->mutable_output(i)) {
        if (cpu_.ctc && i == CTC_GRADIENT) copy(with_blank(*tensor, false), i);
        else if (gpu_->output_memory_types()[i] == DEVICE_MEMORY && is_on_host(*tensor)) copy(*tensor, i);
        else context_->set_output(i, *tensor);
      }
    }
  }

 private:
  // Returns true if an output is in the host's memory although it should be on the GPU: some kernels, such as
  // SparseSplit's, make an output without an allocator.
  static bool is_on_host(const Tensor& tensor) {
    return DataTypeCanUseMemcpy(tensor.dtype()) && tensor.TotalBytes() &&
           !driver->has_allocated(tensor.tensor_data().data());
  }

  void copy(const Tensor& tensor, int output) {
    Tensor* to = nullptr;
    auto result = context_->allocate_output(output, tensor.shape(), &to);
    if (!result.ok()) return context_->SetStatus(result);
    std::memcpy(const_cast<char*>(to->tensor_data().data()), tensor.tensor_data().data(), tensor.TotalBytes());
  }

  // Runs oneDNN's max pooling, whose workspace is a further input of oneDNN's kernel for the gradient.
  bool pool() {
    OpKernelContext::Params params = params_;
    std::vector<AllocatorAttributes> outputs(cpu_.pooling->num_outputs());
    Inputs inputs(1, inputs_[0]);
    Attributes attributes(1);
    params.op_kernel = cpu_.pooling.get();
    params.output_attr_array = outputs.data();
    set_inputs(&params, inputs, attributes);
    OpKernelContext context(&params);
    cpu_.pooling->Compute(&context);
    if (!context.status().ok()) {
      context_->SetStatus(context.status());
      return false;
    }
    held_.push_back(*context.mutable_output(1));
    inputs_.push_back(TensorValue(&held_.back()));
    attributes_.resize(inputs_.size());
    set_inputs(&params_, inputs_, attributes_);
    return true;
  }

  // Returns true if an output has channels first, and so the CPU kernel's has channels last.
  bool has_layout(int output) const { return cpu_.layout && (cpu_.layout->outputs >> output & 1); }

  // Lets the CPU kernel write into the outputs' memory, unless another tensor shares it, such as a forwarded input.
  void lend_outputs() {
    lent_.resize(gpu_->num_outputs());
    for (int i = 0; i < gpu_->num_outputs() && i < static_cast<int>(MOST_OUTPUTS); i++) {
      Tensor* to = context_->mutable_output(i);
      if (!to || has_layout(i) || IsRefType(gpu_->output_type(i)) || gpu_->output_memory_types()[i] == HOST_MEMORY ||
          !DataTypeCanUseMemcpy(to->dtype()) || !to->TotalBytes() || !is_held_once(*to))
        continue;
      lent_[i] = new LentMemory(*to);
      outputs_[i].value |= (i + 1) << OUTPUT;
    }
  }

  // Returns true if the GPU kernel has forwarded an input to the output, and the CPU kernel may do so, too.
  bool is_the_output(const Tensor& input) const {
    bool forwards = gpu_->num_outputs() == 1 && may_forward(gpu_->type_string());
    Tensor* output = forwards ? context_->mutable_output(0) : nullptr;
    return output && DataTypeCanUseMemcpy(input.dtype()) && input.TotalBytes() && output->SharesBufferWith(input);
  }

  // Returns a tensor with the input's memory and a reference count of 1, so that the CPU kernel may write into it.
  Tensor lent_again(const Tensor& input) {
    lent_.push_back(new LentMemory(input));
    return Tensor(lent_.back(), input.dtype(), input.shape());
  }

  // Returns the filter, or its sizes, for a CPU kernel without dilations.
  Tensor filter_of(const Tensor& input) const {
    return is_filter_gradient(gpu_->def()) ? dilated_sizes(input, cpu_.dilations) : dilated(input, cpu_.dilations);
  }

  // Returns the indices of an AddN's inputs in the order in which a CPU adds them: first the input whose memory the
  // output can take.
  std::vector<int> terms_of(const Inputs& inputs) const {
    std::vector<int> terms = cpu_.terms;
    for (int& term : terms) {
      const Tensor* tensor = inputs[term].tensor;
      if (!tensor || !(is_the_output(*tensor) || is_held_once(*tensor))) continue;
      std::swap(terms[0], term);
      break;
    }
    return terms;
  }

  // Prepares the CPU kernel's inputs: those of the op, converted where the CPU kernel needs it.
  void take_inputs(Way way) {
    Inputs inputs = inputs_of(params_);
    held_.reserve(inputs.size() + 1);  // inputs_ has pointers to its elements, which must not move
    if (way == AFTER && cpu_.strays != NO_STRAYS) replaced_strays_ = without_strays(cpu_.strays, gpu_->def(), context_);
    std::vector<int> terms = way == AFTER ? terms_of(inputs) : std::vector<int>();
    for (size_t i = 0; i < inputs.size(); i++) {
      const TensorValue& value = inputs[i];
      if (cpu_.ctc && (i == CTC_LOGITS || i == CTC_LABELS) && value.tensor) {
        held_.push_back(i == CTC_LOGITS ? with_blank(*value.tensor, true) : labels_with_blank_last(*value.tensor));
        inputs_.push_back(TensorValue(&held_.back()));
        continue;
      }
      if (way != AFTER || value.is_ref() || !value.tensor) {
        inputs_.push_back(value);
        continue;
      }
      // A separate tensor, which can't be forwarded to an output unless the GPU kernel has done the same.
      const Layout* layout = cpu_.layout;
      if (layout && (layout->inputs >> i & 1))
        held_.push_back(with_channels_last(*value.tensor, cpu_.packed, workers_));
      else if (layout && (layout->shapes >> i & 1)) held_.push_back(sizes_with_channels_last(*value.tensor));
      else if (layout && (layout->axes >> i & 1))
        held_.push_back(axes_with_channels_last(*value.tensor, inputs[0].tensor->dims()));
      else if (i == FILTER && !cpu_.dilations.empty()) held_.push_back(filter_of(*value.tensor));
      else if (i == INDICES && !replaced_strays_.places.empty()) held_.push_back(replaced_strays_.indices);
      else if (is_the_output(*value.tensor) && (terms.empty() || terms[0] == static_cast<int>(i)))
        held_.push_back(lent_again(*value.tensor));
      else held_.push_back(*value.tensor);
      if (cpu_.widened) held_.back() = widened(held_.back());
      inputs_.push_back(TensorValue(&held_.back()));
    }
    if (!terms.empty()) {
      Inputs before = inputs_;
      for (size_t i = 0; i < terms.size(); i++) inputs_[i] = before[terms[i]];
    }
    attributes_.resize(inputs_.size());
    set_inputs(&params_, inputs_, attributes_);
  }

  OpKernel* gpu_;
  const CpuKernel& cpu_;
  OpKernelContext* context_;
  OpKernelContext::Params params_;
  Way way_;
  thread::ThreadPool* workers_;
  std::vector<AllocatorAttributes> outputs_;  // by output
  std::vector<Tensor> held_;                  // the tensors that inputs_ points to
  ReplacedStrays replaced_strays_;
  Inputs inputs_;
  Attributes attributes_;
  std::vector<LentMemory*> lent_;
  std::unique_ptr<OpKernelContext> cpu_context_;
};

// Reports once for each op why it isn't computed.
void report(const std::string& op, const std::string& why) {
  static std::mutex lock;
  static auto* reported = new std::set<std::string>;
  std::lock_guard<std::mutex> held(lock);
  if (reported->insert(op).second) driver->not_computed(op.c_str(), why.c_str());
}

// Runs the CPU kernel after the GPU kernel, which has launched `launches` kernels.
void compute_after(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context, uint64_t launches) {
  HostSide* side = host_side(gpu, AFTER);
  auto cpu = cpu_kernel(kernel, context, side);
  if (cpu->kernel && cpu->kernel->AsAsync()) return;  // the launches are those of ops that the GPU kernel has called
  if (!cpu->kernel) {
    cpu->count->not_computed += launches;
    return report(kernel->type_string(), cpu->error);
  }
  cpu->count->computed += launches;
  driver->computed(launches);
  Run run(kernel, *cpu, context, side, AFTER);
  if (run.compute()) run.fill();
}

// Runs the CPU kernel in place of the GPU kernel. Returns false if the GPU kernel has to run, such as without a CPU
// kernel.
bool compute_instead(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context, Way way) {
  if (way == AFTER || way == BY_ITS_OPS || way == COLLECTIVE) return false;
  HostSide* side = host_side(gpu, way);
  auto cpu = cpu_kernel(kernel, context, side);
  // Without the CPU kernel a sparse matrix would hold indices that nothing has computed, and other ops would use them.
  if (!cpu->kernel && way == COPIED) {
    report(kernel->type_string(), cpu->error);
    context->SetStatus(errors::Unimplemented(kernel->type_string(), " has no kernel that computes on a simulated GPU"));
    return true;
  }
  // An op that is asynchronous on both devices waits (for a queue, another device, a function), and launches nothing
  // itself.
  if (!cpu->kernel || (cpu->kernel->AsAsync() && !waits_for_itself(kernel->def().op()))) return false;
  Run run(kernel, *cpu, context, side, way);
  if (run.compute()) run.hand_over();
  return true;
}

// Writes a function into a class's table of virtual functions, which is read-only memory. Returns false if it can't.
bool put(void** place, void* function) {
  size_t page = sysconf(_SC_PAGESIZE);
  char* begin = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(place) & ~(page - 1));
  size_t size = reinterpret_cast<char*>(place + 1) - begin;
  if (mprotect(begin, size, PROT_READ | PROT_WRITE)) return false;
  *place = function;
  return true;
}

// Counts a launch of a collective: as computed if the op's share of the result was written.
void count_share(OpKernelContext* context, const Tensor& share, bool written) {
  const std::string& op = context->op_kernel().type_string();
  Count* count = count_of(op);
  if (!written) {
    count->not_computed++;
    return report(op, "types or sizes of its tensors are not supported here");
  }
  count->computed++;
  driver->computed_at(share.tensor_data().data());
}

#if !BEFORE(10)
Enqueue original_enqueue;  // NCCL's own, which `enqueue` replaces and calls

// Replaces NcclCommunicatorInterface::Enqueue: after NCCL's own part, the GPUs exchange their inputs.
void enqueue(NcclCommunicatorInterface* nccl, std::shared_ptr<CollectiveContext> context, StatusCallback done) {
  driver->settle();
  Tensor input = context->input ? host_copy(*context->input) : Tensor();
  Launches& launches = Launches::of_process();
  auto launched = [&launches, context, input, done](const Result& result) {
    launches.called_back();
    context->col_exec->RunClosure([context, input, done, result] {
      if (!result.ok()) return done(result);
      std::make_shared<Exchange>(context, input, count_share, done)->begin();
    });
  };
  launches.enqueue([&] { original_enqueue(nccl, context, launched); });
}

// Replaces NcclCommunicatorInterface::Enqueue by `enqueue`, once. NCCL's class is only reached through an executor.
void take_over_nccl(OpKernelContext* context) {
  static std::mutex lock;
  std::lock_guard<std::mutex> held(lock);
  if (original_enqueue || !context->collective_executor()) return;
  void** place = place_of_enqueue(context->collective_executor());
  if (!place) return;
  original_enqueue = reinterpret_cast<Enqueue>(*place);
  if (!put(place, reinterpret_cast<void*>(enqueue))) report("NCCL", "its functions can't be replaced");
}
#else
void take_over_nccl(OpKernelContext* context) {
  const NodeDef& node = context->op_kernel().def();
  if (text_of(node, "communication_hint", "") == "nccl")
    report(node.op(), "NCCL's collectives are computed from TensorFlow 2.10 on");
}
#endif

// Returns the way to compute a kernel's op: as way_of(op), with three exceptions. An op of variants creates lists. A
// kernel that is asynchronous on the GPU waits there for a computed value. An op that only a CPU computes has nothing
// to run on the GPU.
Way way_of(OpKernel* kernel) {
  Way way = way_of(kernel->def().op());
  if (way == AFTER && kernel->num_inputs() && kernel->input_type(0) == DT_VARIANT &&
      takes_variants(kernel->type_string()))
    return IN_PLACE;
  return way == AFTER && (kernel->AsAsync() || is_cpu_only(kernel->def())) ? ALONE : way;
}

// GPUDevice's own functions, which `compute`, `compute_async` and `compute_shapes` replace and call.
void (*original_compute)(DeviceBase*, OpKernel*, OpKernelContext*);
void (*original_compute_async)(DeviceBase*, AsyncOpKernel*, OpKernelContext*, Done);

// Replaces GPUDevice::ComputeAsync.
void compute_async(DeviceBase* gpu, AsyncOpKernel* kernel, OpKernelContext* context, Done done) {
  static auto* meetings = new Meetings(count_share);
  if (is_for_xla(kernel->def())) return run_uncompiled(kernel, context, std::move(done));
  Way way = way_of(kernel);
  if (way == COLLECTIVE) take_over_nccl(context);
  if (is_nccl_op(kernel->def())) {
    driver->settle();
    done = meetings->join(kernel->def(), context, std::move(done));
  } else if (compute_instead(gpu, kernel, context, way)) {
    return done();
  }
  if (is_branch(kernel->type_string()))
    done = [kernel, context, done] {
      bring_to_gpu(driver, kernel, context);
      done();
    };
  original_compute_async(gpu, kernel, context, std::move(done));
}

// Replaces GPUDevice::Compute.
void compute(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context) {
  Way way = way_of(kernel);
  bool xla = is_for_xla(kernel->def());
  bool collective = kernel->AsAsync() && (way == COLLECTIVE || is_nccl_op(kernel->def()));
  if (xla || collective) {  // this thread waits, as in AsyncOpKernel::Compute
    auto ended = std::make_shared<std::promise<void>>();
    auto waiting = ended->get_future();
    auto done = [ended] { ended->set_value(); };
    if (xla) run_uncompiled(kernel, context, done);
    else compute_async(gpu, kernel->AsAsync(), context, done);
    Waiting here;
    return waiting.wait();
  }
  if (way == HERE) {
    driver->settle();
    auto result = compute_recurrent(kernel->def(), context);
    if (!result.ok()) context->SetStatus(result);
    return;
  }
  if (compute_instead(gpu, kernel, context, way)) return;
  std::unique_ptr<Waiting> waiting(kernel->AsAsync() ? new Waiting : nullptr);  // its Compute waits until it is done
  uint64_t before = driver->launches();
  original_compute(gpu, kernel, context);
  if (is_branch(kernel->type_string())) bring_to_gpu(driver, kernel, context);
  uint64_t launches = driver->launches() - before;
  if (way != BY_ITS_OPS && launches && context->status().ok()) compute_after(gpu, kernel, context, launches);
}

// Replaces GPUDevice::Compute in a simulation without values.
void compute_shapes(DeviceBase* gpu, OpKernel* kernel, OpKernelContext* context) {
  // If an op is asynchronous, or XLA would compile it, only its GPU kernel runs.
  Way way = kernel->AsAsync() || is_for_xla(kernel->def()) ? BY_ITS_OPS : way_of(kernel);
  if (way == IN_PLACE && is_counter(kernel) && compute_instead(gpu, kernel, context, way)) return;
  uint64_t before = driver->launches();
  original_compute(gpu, kernel, context);
  if (way != AFTER || driver->launches() == before || !context->status().ok() || !inputs_may_be_shapes(context) ||
      !outputs_may_be_shapes(context))
    return;
  HostSide* side = host_side(gpu, AFTER);
  auto cpu = cpu_kernel(kernel, context, side);
  if (!cpu->kernel || cpu->kernel->AsAsync()) return;
  Run run(kernel, *cpu, context, side, AFTER);
  if (run.compute()) run.fill();
}

// Replaces the virtual function `symbol` in GPUDevice's table, and sets `original` to it. Returns false if it can't.
template <typename Function>
bool replace(void* library, const char* symbol, Function* original, Function with) {
  // The table begins with two other entries, an offset and the type; GPUDevice has some 40 virtual functions.
  enum { FIRST = 2, MOST = 80 };
  auto** table = static_cast<void**>(dlsym(library, "_ZTVN10tensorflow9GPUDeviceE"));
  *original = reinterpret_cast<Function>(dlsym(library, symbol));
  for (int i = FIRST; table && *original && i < MOST; i++)
    if (table[i] == reinterpret_cast<void*>(*original)) return put(&table[i], reinterpret_cast<void*>(with));
  return false;
}

const char COMPUTE[] = "_ZN10tensorflow13BaseGPUDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE";

}  // namespace values

// Called once by the driver. Returns true if values, or only shapes and counters, are computed from now on.
//
// tensorflow: the handle, from dlopen, of the library that has GPUDevice.
extern "C" __attribute__((visibility("default"))) bool tf1mem_values_start(void* tensorflow,
                                                                           const values_driver* driver) {
  values::driver = driver;
  if (!driver->values)
    return values::replace(tensorflow, values::COMPUTE, &values::original_compute, values::compute_shapes);
  return values::replace(tensorflow,
                         "_ZN10tensorflow13BaseGPUDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextE"
                         "St8functionIFvvEE",
                         &values::original_compute_async, values::compute_async) &&
         values::replace(tensorflow, values::COMPUTE, &values::original_compute, values::compute);
}

// The driver calls this at the end of the process.
extern "C" __attribute__((visibility("default"))) void tf1mem_values_report(values_each* each) {
  std::lock_guard<std::mutex> held(values::counts_lock);
  for (const auto& count : *values::counts)
    if (uint64_t launches = count.second.computed + count.second.not_computed)
      each(count.first.c_str(), count.second.computed, launches - count.second.computed);
}
