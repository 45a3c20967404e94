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

// The inputs and outputs of an op that have its data_format: bit i is input or output i.
struct Layout {
  const char* op;
  unsigned inputs, outputs;
  unsigned shapes;  // inputs that are vectors with an entry for each dimension
  unsigned axes;    // inputs that are vectors of dimensions
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
      {"_FusedBatchNormEx", 1 | 32, 1, 0, 0},
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

// Returns the dimensions of a channels-first tensor, in channels-last order.
inline std::vector<int> turn(int rank) {
  std::vector<int> order{0};
  for (int i = 2; i < rank; i++) order.push_back(i);
  order.push_back(1);
  return order;
}

inline void turn_list(AttrValue* attribute, int each) {
  auto* list = attribute->mutable_list()->mutable_i();
  int rank = list->size() / each;
  if (rank < 3) return;
  std::vector<int64_t> before(list->begin(), list->end());
  std::vector<int> order = turn(rank);
  for (int i = 0; i < rank; i++)
    for (int j = 0; j < each; j++) list->Set(i * each + j, before[order[i] * each + j]);
}

// Returns true if the CPU kernel supports channels first, too, with the same values to the bit: transposing would take
// longer than the op itself. BiasAddGrad's kernel supports it, but adds up in another order.
inline bool knows_channels_first(const NodeDef& node, int rank) {
  return node.op() == "BiasAdd" && rank > 2 && !is_packed(node);
}

// Returns the layout of a channels-first node, which is rewritten for channels last; nullptr for all others.
inline const Layout* channels_last(NodeDef* node) {
  auto format = node->attr().find("data_format");
  if (format == node->attr().end()) return nullptr;
  static const std::map<std::string, const char*> formats{
      {"NCHW", "NHWC"}, {"NCHW_VECT_C", "NHWC"}, {"NCDHW", "NDHWC"}, {"CHANNELS_FIRST", "CHANNELS_LAST"}};
  auto last = formats.find(format->second.s());
  const Layout* layout = last == formats.end() ? nullptr : layout_of(node->op());
  if (!layout) return nullptr;
  (*node->mutable_attr())["data_format"].set_s(last->second);
  for (const char* name : {"strides", "dilations", "ksize"})
    if (node->attr().count(name)) turn_list(&(*node->mutable_attr())[name], 1);
  if (node->attr().count("explicit_paddings")) turn_list(&(*node->mutable_attr())["explicit_paddings"], 2);
  return layout;
}

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns the layout of a sum, mean or product for which the layout optimizer put channels first, by the name of its
// axes: the program has channels last, and a CPU adds in that order. nullptr for all others.
inline const Layout* reduced_last(const NodeDef& node) {
  static const Layout reduced{"", 1, 0, 0, 2}, kept{"", 1, 1, 0, 2};
  if ((node.op() != "Sum" && node.op() != "Mean" && node.op() != "Prod") || node.input_size() < 2) return nullptr;
  const std::string& axes = node.input(1);
  if (!ends_with(axes, "-DataFormatDimMapNHWCToNCHW-LayoutOptimizer") &&
      !ends_with(axes, "-DataFormatDimMapNDHWCToNCDHW-LayoutOptimizer"))
    return nullptr;
  return flag_of(node, "keep_dims", false) ? &kept : &reduced;
}

// Returns an AddN's inputs in the program's order, in which the CPU kernel adds them; empty if they are in that order.
// Grappler sorts them by name, again after the layout optimizer has inserted `NAME-INDEX-Transpose...` for some of
// them.
inline std::vector<int> order_of_terms(const NodeDef& node) {
  int count = static_cast<int>(number_of(node, "N", 0));
  if (node.op() != "AddN" || count < 3 || node.input_size() < count) return {};
  std::vector<int> order(count, -1), others;
  for (int i = 0; i < count; i++) {
    const std::string &input = node.input(i), own = node.name() + "-";
    bool put_in = input.compare(0, own.size(), own) == 0 && ends_with(input, "-LayoutOptimizer");
    size_t digits = put_in ? input.find_first_not_of("0123456789", own.size()) - own.size() : 0;
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

const int64_t BLOCK = 64;  // a block of a matrix fits a processor's first cache

// Transposes the tiles of a part of a matrix of so many rows and columns; the part has `tall` rows and `wide` columns.
// Returns the side of a tile: what is left over at the part's end is less.
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
// Returns four elements of a row, and four of the fourth row after it.
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

// Five times as fast as element by element, and with AVX another quarter faster: this is most of what channels
// first add to the cost of a convolution.
template <>
inline int64_t transpose_tiles(const float* from, float* to, int64_t rows, int64_t columns, int64_t tall,
                               int64_t wide) {
  static const bool avx = __builtin_cpu_supports("avx");
  return (avx ? transpose_with_avx : transpose_with_sse)(from, to, rows, columns, tall, wide);
}
#endif

// Transposes each of a number of matrices.
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

// Writes a tensor's content with its channels moved. together: the number of adjacent elements that move as one.
inline void write_turned(const Tensor& tensor, bool to_last, int together, char* to, thread::ThreadPool* workers) {
  int64_t batch = tensor.dim_size(0);
  int64_t channels = to_last ? tensor.dim_size(1) : tensor.dim_size(tensor.dims() - 1) / together;
  int64_t places = tensor.NumElements() / (batch * channels * together);
  int64_t rows = to_last ? channels : places, columns = to_last ? places : channels;
  const char* from = tensor.tensor_data().data();
  if (rows == 1 || columns == 1) {
    std::memcpy(to, from, tensor.TotalBytes());
    return;
  }
  switch (tensor.TotalBytes() / tensor.NumElements() * together) {
  case 1: transpose<uint8_t>(from, to, batch, rows, columns, workers); break;
  case 2: transpose<uint16_t>(from, to, batch, rows, columns, workers); break;
  case 4: transpose<float>(from, to, batch, rows, columns, workers); break;
  case 8: transpose<uint64_t>(from, to, batch, rows, columns, workers); break;
  default: transpose<std::complex<double>>(from, to, batch, rows, columns, workers);
  }
}

inline bool can_turn(const Tensor& tensor) { return tensor.dims() >= 3 && tensor.NumElements(); }

// Returns the tensor with channels last, in the host's memory, or the tensor itself if it has no channels.
inline Tensor turned(const Tensor& tensor, int together, thread::ThreadPool* workers) {
  int rank = tensor.dims() - (together > 1);
  if (!can_turn(tensor)) return tensor;
  TensorShape shape;
  for (int i : turn(rank)) shape.AddDim(tensor.dim_size(i) * (i == 1 ? together : 1));
  Tensor same;  // with one channel, or one place, the memory is the same
  if (together == 1 && (tensor.dim_size(1) == 1 || tensor.NumElements() == tensor.dim_size(0) * tensor.dim_size(1)))
    return same.CopyFrom(tensor, shape) ? same : tensor;
  Tensor transposed(cpu_allocator(), tensor.dtype(), shape);
  write_turned(tensor, true, together, const_cast<char*>(transposed.tensor_data().data()), workers);
  return transposed;
}

// Returns a vector of sizes with the channels' entry moved.
inline Tensor turned_shape(const Tensor& sizes) {
  if (sizes.dims() != 1 || sizes.NumElements() < 3) return sizes;
  Tensor transposed(cpu_allocator(), sizes.dtype(), sizes.shape());
  size_t unit = sizes.TotalBytes() / sizes.NumElements();
  std::vector<int> order = turn(static_cast<int>(sizes.NumElements()));
  char* to = const_cast<char*>(transposed.tensor_data().data());
  for (size_t i = 0; i < order.size(); i++)
    std::memcpy(to + i * unit, sizes.tensor_data().data() + order[i] * unit, unit);
  return transposed;
}

// Returns the axes of a channels-first tensor of that rank, counted with channels last.
inline Tensor turned_axes(const Tensor& axes, int rank) {
  if (rank < 3) return axes;
  Tensor transposed(cpu_allocator(), axes.dtype(), axes.shape());
  std::vector<int> order = turn(rank);
  auto turned = [&](int64_t axis) {
    return std::find(order.begin(), order.end(), axis < 0 ? axis + rank : axis) - order.begin();
  };
  for (int64_t i = 0; i < axes.NumElements(); i++)
    if (axes.dtype() == DT_INT32) transposed.flat<int32_t>()(i) = static_cast<int32_t>(turned(axes.flat<int32_t>()(i)));
    else transposed.flat<Int64>()(i) = turned(axes.flat<Int64>()(i));
  return transposed;
}

}  // namespace values

#endif
