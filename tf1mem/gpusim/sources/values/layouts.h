// Ops with channels first, which the CPU kernels don't support: the node is rewritten for channels last, and its
// tensors are transposed.
#ifndef TF1MEM_VALUES_LAYOUTS_H
#define TF1MEM_VALUES_LAYOUTS_H

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "attributes.h"
#include "tensorflow.h"

namespace values {

// The inputs and outputs of an op that depend on its data_format. Each number is a set: bit i is input or output i.
struct Layout {
  const char* op;
  unsigned inputs, outputs;  // tensors in the data_format
  unsigned shapes;           // inputs that are vectors with an entry for each dimension, such as a shape
  unsigned axes;             // inputs that are vectors of dimensions' numbers
};

inline const Layout* layout_of(const std::string& op) {
  static const Layout layouts[] = {
      {"Conv", 1, 1, 0, 0},
      {"Conv2D", 1, 1, 0, 0},
      {"_FusedConv2D", ~2u, 1, 0, 0},  // biases have one dimension, and so aren't transposed; a side input has four
      {"Conv2DBackpropInput", 4, 1, 1, 0},
      {"Conv2DBackpropFilter", 5, 0, 0, 0},
      {"DepthwiseConv2dNative", 1, 1, 0, 0},
      {"_FusedDepthwiseConv2dNative", ~2u, 1, 0, 0},
      {"DepthwiseConv2dNativeBackpropInput", 4, 1, 1, 0},
      {"DepthwiseConv2dNativeBackpropFilter", 5, 0, 0, 0},
      {"Conv3D", 1, 1, 0, 0},
      {"Conv3DBackpropInputV2", 4, 1, 1, 0},
      {"Conv3DBackpropFilterV2", 5, 0, 0, 0},
      {"MaxPool", 1, 1, 0, 0},
      {"MaxPoolV2", 1, 1, 6, 0},
      {"MaxPoolGrad", 7, 1, 0, 0},
      {"MaxPoolGradV2", 7, 1, 24, 0},
      {"MaxPoolGradGrad", 7, 1, 0, 0},
      {"MaxPoolGradGradV2", 7, 1, 24, 0},
      {"AvgPool", 1, 1, 0, 0},
      {"AvgPoolGrad", 2, 1, 1, 0},
      {"MaxPool3D", 1, 1, 0, 0},
      {"MaxPool3DGrad", 7, 1, 0, 0},
      {"MaxPool3DGradGrad", 7, 1, 0, 0},
      {"AvgPool3D", 1, 1, 0, 0},
      {"AvgPool3DGrad", 2, 1, 1, 0},
      {"BiasAdd", 1, 1, 0, 0},
      {"BiasAddGrad", 1, 0, 0, 0},
      {"FusedBatchNorm", 1, 1, 0, 0},
      {"FusedBatchNormV2", 1, 1, 0, 0},
      {"FusedBatchNormV3", 1, 1, 0, 0},
      {"_FusedBatchNormEx", 1 | 32, 1, 0, 0},  // input 5 is the side input
      {"FusedBatchNormGrad", 3, 1, 0, 0},
      {"FusedBatchNormGradV2", 3, 1, 0, 0},
      {"FusedBatchNormGradV3", 3, 1, 0, 0},
      {"SpaceToDepth", 1, 1, 0, 0},
      {"DepthToSpace", 1, 1, 0, 0},
  };
  for (const Layout& layout : layouts)
    if (op == layout.op) return &layout;
  return nullptr;
}

// The number of channels that NCHW_VECT_C keeps side by side for each place; they are moved as one.
const int PACKED = 4;

inline bool is_packed(const NodeDef& node) {
  auto format = node.attr().find("data_format");
  return format != node.attr().end() && format->second.s() == "NCHW_VECT_C";
}

// Returns the numbers of a channels-first tensor's dimensions in channels-last order: for rank 4, 0, 2, 3, 1.
inline std::vector<int> channels_last_order(int rank) {
  std::vector<int> order{0};
  for (int i = 2; i < rank; i++) order.push_back(i);
  order.push_back(1);
  return order;
}

// Reorders a list attribute for channels last. each: the number of its entries for each dimension.
inline void move_channels(AttrValue* attribute, int each) {
  auto* list = attribute->mutable_list()->mutable_i();
  int rank = list->size() / each;
  if (rank < 3) return;
  std::vector<int64_t> before(list->begin(), list->end());
  std::vector<int> order = channels_last_order(rank);
  for (int i = 0; i < rank; i++)
    for (int j = 0; j < each; j++) list->Set(i * each + j, before[order[i] * each + j]);
}

// Returns true if the CPU kernel supports channels first with the values of channels last to the bit; transposing would
// take longer than the op itself. BiasAddGrad's kernel supports it, too, but adds up in another order.
inline bool supports_channels_first(const NodeDef& node, int rank) {
  return node.op() == "BiasAdd" && rank > 2 && !is_packed(node);
}

// Rewrites a channels-first node for channels last, and returns its layout; returns nullptr for all other nodes.
inline const Layout* rewrite_channels_last(NodeDef* node) {
  auto format = node->attr().find("data_format");
  if (format == node->attr().end()) return nullptr;
  static const std::map<std::string, const char*> formats{
      {"NCHW", "NHWC"}, {"NCHW_VECT_C", "NHWC"}, {"NCDHW", "NDHWC"}, {"CHANNELS_FIRST", "CHANNELS_LAST"}};
  auto last = formats.find(format->second.s());
  const Layout* layout = last == formats.end() ? nullptr : layout_of(node->op());
  if (!layout) return nullptr;
  (*node->mutable_attr())["data_format"].set_s(last->second);
  for (const char* name : {"strides", "dilations", "ksize"})
    if (node->attr().count(name)) move_channels(&(*node->mutable_attr())[name], 1);
  if (node->attr().count("explicit_paddings")) move_channels(&(*node->mutable_attr())["explicit_paddings"], 2);
  return layout;
}

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns the layout of a sum, mean or product for which Grappler's layout optimizer put channels first, nullptr for
// all others. The program itself has channels last, and a CPU adds in that order. The node's axes, its second input,
// have a name that the optimizer gave them.
inline const Layout* layout_of_reduction(const NodeDef& node) {
  static const Layout without_axes{"", 1, 0, 0, 2}, with_axes{"", 1, 1, 0, 2};
  if ((node.op() != "Sum" && node.op() != "Mean" && node.op() != "Prod") || node.input_size() < 2) return nullptr;
  const std::string& axes = node.input(1);
  if (!ends_with(axes, "-DataFormatDimMapNHWCToNCHW-LayoutOptimizer") &&
      !ends_with(axes, "-DataFormatDimMapNDHWCToNCDHW-LayoutOptimizer"))
    return nullptr;
  return flag_of(node, "keep_dims", false) ? &with_axes : &without_axes;
}

// Returns the indices of an AddN's inputs in the program's order, in which the CPU kernel adds them; empty if the
// layout optimizer has changed none of the inputs. For some of them it inserts a transpose named
// `NAME-INDEX-Transpose...`, with the AddN's name and the input's index, and Grappler then sorts the inputs by name
// again.
inline std::vector<int> order_of_terms(const NodeDef& node) {
  int count = static_cast<int>(number_of(node, "N", 0));
  if (node.op() != "AddN" || count < 3 || node.input_size() < count) return {};
  std::vector<int> order(count, -1), others;
  for (int i = 0; i < count; i++) {
    const std::string &input = node.input(i), own = node.name() + "-";
    bool inserted = input.compare(0, own.size(), own) == 0 && ends_with(input, "-LayoutOptimizer");
    size_t digits = inserted ? input.find_first_not_of("0123456789", own.size()) - own.size() : 0;
    int index = digits && digits < 7 ? std::stoi(input.substr(own.size(), digits)) : count;
    if (index < count && order[index] < 0) order[index] = i;
    else others.push_back(i);
  }
  if (others.size() == order.size()) return {};
  auto other = others.begin();
  for (int& i : order)
    if (i < 0) i = *other++;
  return order;
}

const int64_t BLOCK = 64;  // rows and columns of a block, which fits into a processor's first cache

// Transposes a block of a matrix by square tiles. Returns the side of a tile; the last rows and columns of the block
// that don't fill a tile are left to the caller.
//
// from, to: the block's first element in the matrix, and in the transposed matrix.
// rows, columns: the size of the whole matrix.
// tall, wide: the rows and columns of the block.
template <typename Element>
inline int64_t transpose_tiles(const Element* from, Element* to, int64_t rows, int64_t columns, int64_t tall,
                               int64_t wide) {
  const int64_t side = 4;
  for (int64_t left = 0; left + side <= wide; left += side)
    for (int64_t top = 0; top + side <= tall; top += side)
      for (int64_t column = left; column < left + side; column++)
        for (int64_t row = top; row < top + side; row++) to[column * rows + row] = from[row * columns + column];
  return side;
}

#ifdef __x86_64__
// Returns four elements of a row, and then the four below them, four rows further down.
__attribute__((target("avx"))) inline __m256 two_rows(const float* first, int64_t columns) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(first)), _mm_loadu_ps(first + 4 * columns), 1);
}

// Transposes eight rows of four columns to four rows of eight.
__attribute__((target("avx"))) inline void transpose_half(const float* from, float* to, int64_t rows, int64_t columns) {
  __m256 first = two_rows(from, columns), second = two_rows(from + columns, columns);
  __m256 third = two_rows(from + 2 * columns, columns), fourth = two_rows(from + 3 * columns, columns);
  __m256 low = _mm256_unpacklo_ps(first, second), high = _mm256_unpackhi_ps(first, second);
  __m256 low_after = _mm256_unpacklo_ps(third, fourth), high_after = _mm256_unpackhi_ps(third, fourth);
  _mm256_storeu_ps(to, _mm256_shuffle_ps(low, low_after, 0x44));
  _mm256_storeu_ps(to + rows, _mm256_shuffle_ps(low, low_after, 0xEE));
  _mm256_storeu_ps(to + 2 * rows, _mm256_shuffle_ps(high, high_after, 0x44));
  _mm256_storeu_ps(to + 3 * rows, _mm256_shuffle_ps(high, high_after, 0xEE));
}

__attribute__((target("avx"))) inline int64_t transpose_with_avx(const float* from, float* to, int64_t rows,
                                                                 int64_t columns, int64_t tall, int64_t wide) {
  const int64_t side = 8;
  for (int64_t left = 0; left + side <= wide; left += side)
    for (int64_t top = 0; top + side <= tall; top += side)
      for (int64_t half = left; half < left + side; half += 4)
        transpose_half(from + top * columns + half, to + half * rows + top, rows, columns);
  return side;
}

inline int64_t transpose_with_sse(const float* from, float* to, int64_t rows, int64_t columns, int64_t tall,
                                  int64_t wide) {
  const int64_t side = 4;
  for (int64_t left = 0; left + side <= wide; left += side)
    for (int64_t top = 0; top + side <= tall; top += side) {
      const float* source = from + top * columns + left;
      float* target = to + left * rows + top;
      __m128 first = _mm_loadu_ps(source), second = _mm_loadu_ps(source + columns);
      __m128 third = _mm_loadu_ps(source + 2 * columns), fourth = _mm_loadu_ps(source + 3 * columns);
      _MM_TRANSPOSE4_PS(first, second, third, fourth);
      _mm_storeu_ps(target, first);
      _mm_storeu_ps(target + rows, second);
      _mm_storeu_ps(target + 2 * rows, third);
      _mm_storeu_ps(target + 3 * rows, fourth);
    }
  return side;
}

// Five times as fast as element by element, and with AVX another quarter faster. Most of the extra time of a
// convolution with channels first is spent here.
template <>
inline int64_t transpose_tiles(const float* from, float* to, int64_t rows, int64_t columns, int64_t tall,
                               int64_t wide) {
  static const bool avx = __builtin_cpu_supports("avx");
  return (avx ? transpose_with_avx : transpose_with_sse)(from, to, rows, columns, tall, wide);
}
#endif

// Transposes each of `matrices` adjacent matrices, by blocks of BLOCK rows, which `workers` share.
template <typename Element>
void transpose(const char* from, char* to, int64_t matrices, int64_t rows, int64_t columns,
               thread::ThreadPool* workers) {
  const int64_t blocks = (rows + BLOCK - 1) / BLOCK;
  auto some = [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      auto* source = reinterpret_cast<const Element*>(from) + i / blocks * rows * columns;
      auto* target = reinterpret_cast<Element*>(to) + i / blocks * rows * columns;
      int64_t first = i % blocks * BLOCK, last = std::min(rows, first + BLOCK);
      for (int64_t left = 0; left < columns; left += BLOCK) {
        int64_t right = std::min(columns, left + BLOCK);
        int64_t side = transpose_tiles(source + first * columns + left, target + left * rows + first, rows, columns,
                                       last - first, right - left);
        int64_t tiled = first + (last - first) / side * side, untiled = left + (right - left) / side * side;
        for (int64_t column = left; column < right; column++)
          for (int64_t row = column < untiled ? tiled : first; row < last; row++)
            target[column * rows + row] = source[row * columns + column];
      }
    }
  };
  workers->ParallelFor(matrices * blocks, std::min(rows, BLOCK) * columns, some);
}

// Writes a tensor's elements to `to` with the channels moved to the end, or from the end to the front if not `to_last`.
// packed: the number of adjacent elements that move as one.
inline void write_with_channels_moved(const Tensor& tensor, bool to_last, int packed, char* to,
                                      thread::ThreadPool* workers) {
  int64_t batch = tensor.dim_size(0);
  int64_t channels = to_last ? tensor.dim_size(1) : tensor.dim_size(tensor.dims() - 1) / packed;
  int64_t places = tensor.NumElements() / (batch * channels * packed);
  int64_t rows = to_last ? channels : places, columns = to_last ? places : channels;
  const char* from = tensor.tensor_data().data();
  if (rows == 1 || columns == 1) {
    std::memcpy(to, from, tensor.TotalBytes());
    return;
  }
  switch (tensor.TotalBytes() / tensor.NumElements() * packed) {
  case 1: transpose<uint8_t>(from, to, batch, rows, columns, workers); break;
  case 2: transpose<uint16_t>(from, to, batch, rows, columns, workers); break;
  case 4: transpose<float>(from, to, batch, rows, columns, workers); break;
  case 8: transpose<uint64_t>(from, to, batch, rows, columns, workers); break;
  default: transpose<std::complex<double>>(from, to, batch, rows, columns, workers);
  }
}

inline bool has_channels(const Tensor& tensor) { return tensor.dims() >= 3 && tensor.NumElements(); }

// Returns a channels-first tensor with channels last, in the host's memory, or the tensor itself if it has no channels.
inline Tensor with_channels_last(const Tensor& tensor, int packed, thread::ThreadPool* workers) {
  int rank = tensor.dims() - (packed > 1);
  if (!has_channels(tensor)) return tensor;
  TensorShape shape;
  for (int i : channels_last_order(rank)) shape.AddDim(tensor.dim_size(i) * (i == 1 ? packed : 1));
  Tensor same;  // with one channel, or one place in space, both layouts have the same memory
  if (packed == 1 && (tensor.dim_size(1) == 1 || tensor.NumElements() == tensor.dim_size(0) * tensor.dim_size(1)))
    return same.CopyFrom(tensor, shape) ? same : tensor;
  Tensor transposed(cpu_allocator(), tensor.dtype(), shape);
  write_with_channels_moved(tensor, true, packed, const_cast<char*>(transposed.tensor_data().data()), workers);
  return transposed;
}

// Returns a vector of sizes with the channels' entry moved to the end.
inline Tensor sizes_with_channels_last(const Tensor& sizes) {
  if (sizes.dims() != 1 || sizes.NumElements() < 3) return sizes;
  Tensor transposed(cpu_allocator(), sizes.dtype(), sizes.shape());
  size_t unit = sizes.TotalBytes() / sizes.NumElements();
  std::vector<int> order = channels_last_order(static_cast<int>(sizes.NumElements()));
  char* to = const_cast<char*>(transposed.tensor_data().data());
  for (size_t i = 0; i < order.size(); i++)
    std::memcpy(to + i * unit, sizes.tensor_data().data() + order[i] * unit, unit);
  return transposed;
}

// Returns axes of a channels-first tensor as those of the same tensor with channels last. rank: the tensor's.
inline Tensor axes_with_channels_last(const Tensor& axes, int rank) {
  if (rank < 3) return axes;
  Tensor transposed(cpu_allocator(), axes.dtype(), axes.shape());
  std::vector<int> order = channels_last_order(rank);
  auto moved = [&](int64_t axis) {
    return std::find(order.begin(), order.end(), axis < 0 ? axis + rank : axis) - order.begin();
  };
  for (int64_t i = 0; i < axes.NumElements(); i++)
    if (axes.dtype() == DT_INT32) transposed.flat<int32_t>()(i) = static_cast<int32_t>(moved(axes.flat<int32_t>()(i)));
    else transposed.flat<Int64>()(i) = moved(axes.flat<Int64>()(i));
  return transposed;
}

}  // namespace values

#endif
