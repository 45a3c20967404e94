// cuDNN's recurrent ops, which have no CPU kernel: they are computed here, in place of the GPU kernel.
//
// A "part" is one layer in one direction; parts are ordered by layer, then by direction. The parameters are in cuDNN's
// order: the matrices of all parts, then all biases. Each part has the matrices for its inputs and then those for its
// states, gate by gate; its biases are in the same order. LSTM's gates are input, forget, candidate, output; GRU's are
// reset, update, candidate.
#ifndef TF1MEM_VALUES_RNN_H
#define TF1MEM_VALUES_RNN_H

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "attributes.h"
#include "tensorflow.h"
#include "tensorflow/core/lib/core/errors.h"

namespace values {

// Returns a number in [0, 1) for an index; it depends on the seed and the index alone.
inline double fraction_at(uint64_t seed, uint64_t index) {
  uint64_t x = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

// The network of an op, and the offsets of its parameters.
struct Network {
  enum Mode { LSTM, GRU, TANH, RELU };
  // A layer in one direction.
  struct Part {
    int64_t inputs;  // the width of its inputs
    // Offsets in the parameters: the matrices for the inputs and for the states, and the biases of each.
    int64_t matrix, states, bias, state_bias;
  };

  Mode mode;
  int gates, directions;
  int64_t layers, units, input;  // input: the width of the first layer's inputs
  bool skip;                     // true if the first layer adds its inputs to each gate, without a matrix
  float dropout;                 // the share of a layer's inputs that is dropped, from 0 to 1
  uint64_t seed;
  std::vector<Part> parts;
  int64_t size;  // the number of parameters

  Network(const NodeDef& node, int64_t layers, int64_t units, int64_t input)
      : layers(layers), units(units), input(input) {
    std::string name = text_of(node, "rnn_mode", "lstm"), input_mode = text_of(node, "input_mode", "linear_input");
    mode = name == "lstm" ? LSTM : name == "gru" ? GRU : name == "rnn_tanh" ? TANH : RELU;
    gates = mode == LSTM ? 4 : mode == GRU ? 3 : 1;
    directions = text_of(node, "direction", "unidirectional") == "bidirectional" ? 2 : 1;
    skip = input_mode == "skip_input" || (input_mode == "auto_select" && input == units);
    auto rate = node.attr().find("dropout");
    dropout = rate == node.attr().end() ? 0 : rate->second.f();
    seed = static_cast<uint64_t>(number_of(node, "seed", 0)) << 32 ^ number_of(node, "seed2", 0);
    int64_t at = 0;
    for (int64_t i = 0; i < layers * directions; i++) {
      int64_t width = i < directions ? input : units * directions, rows = gates * units;
      int64_t matrix = i < directions && skip ? 0 : rows * width;
      parts.push_back({width, at, at + matrix, 0, 0});
      at += matrix + rows * units;
    }
    for (Part& part : parts) {
      part.bias = at;
      part.state_bias = at + gates * units;
      at += 2 * gates * units;
    }
    size = at;
  }
};

template <typename C>
using Rows = Eigen::Matrix<C, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The computation of a part. Its matrices have a row for each example of each step: step * batch + example.
template <typename C>
struct Strand {
  const Network& network;
  const Network::Part& part;
  const C* parameters;
  int64_t steps, batch;
  bool backwards;                       // true for the second direction, which begins at the last step
  const std::vector<int64_t>& lengths;  // the number of each example's steps
  Rows<C> inputs{}, gates{}, hidden{}, cell{};
  Rows<C> initial{}, initial_cell{};  // the states before the first step: a row for each example
  Rows<C> reset_input{};  // GRU: the part of the candidate's input that is multiplied by the reset gate

  using Matrix = Eigen::Map<const Rows<C>>;
  Matrix weights() const { return Matrix(parameters + part.matrix, network.gates * network.units, part.inputs); }
  Matrix states() const { return Matrix(parameters + part.states, network.gates * network.units, network.units); }
  Matrix bias(int64_t at) const { return Matrix(parameters + at, 1, network.gates * network.units); }
  bool skips() const { return part.states == part.matrix; }
  bool is_in(int64_t step, int64_t row) const { return step < lengths[row]; }
  // Returns the step that is computed as the i-th.
  int64_t step_at(int64_t i) const { return backwards ? steps - 1 - i : i; }

  static C sigmoid(C x) { return 1 / (1 + std::exp(-x)); }

  // Computes `gates` (the activated values), `hidden` and `cell` of all steps.
  void forward() {
    const int64_t units = network.units;
    gates.resize(steps * batch, network.gates * units);
    hidden.setZero(steps * batch, units);
    cell.setZero(steps * batch, units);
    if (network.mode == Network::GRU) reset_input.resize(steps * batch, units);
    if (skips()) gates = inputs.replicate(1, network.gates);
    else gates.noalias() = inputs * weights().transpose();
    gates.rowwise() += bias(part.bias).row(0);
    Rows<C> before = initial, before_cell = initial_cell;
    for (int64_t i = 0; i < steps; i++) {
      int64_t step = step_at(i);
      Rows<C> recurrent = before * states().transpose();
      recurrent.rowwise() += bias(part.state_bias).row(0);
      for (int64_t row = 0; row < batch; row++) {
        if (!is_in(step, row)) continue;
        int64_t at = step * batch + row;
        for (int64_t unit = 0; unit < units; unit++) {
          C* gate = &gates(at, unit);
          auto recurrent_at = [&](int number) { return recurrent(row, number * units + unit); };
          if (network.mode == Network::LSTM) {
            C in = sigmoid(gate[0] + recurrent_at(0)), forget = sigmoid(gate[units] + recurrent_at(1));
            C candidate = std::tanh(gate[2 * units] + recurrent_at(2));
            C out = sigmoid(gate[3 * units] + recurrent_at(3));
            gate[0] = in, gate[units] = forget, gate[2 * units] = candidate, gate[3 * units] = out;
            C value = before_cell(row, unit) = forget * before_cell(row, unit) + in * candidate;
            before(row, unit) = out * std::tanh(value);
          } else if (network.mode == Network::GRU) {
            C reset = sigmoid(gate[0] + recurrent_at(0)), update = sigmoid(gate[units] + recurrent_at(1));
            C candidate = std::tanh(gate[2 * units] + reset * recurrent_at(2));
            gate[0] = reset, gate[units] = update, gate[2 * units] = candidate;
            reset_input(at, unit) = recurrent_at(2);
            before(row, unit) = (1 - update) * candidate + update * before(row, unit);
          } else {
            C sum = gate[0] + recurrent_at(0);
            before(row, unit) = gate[0] = network.mode == Network::TANH ? std::tanh(sum) : std::max(sum, C(0));
          }
        }
      }
      hidden.middleRows(step * batch, batch) = before;
      cell.middleRows(step * batch, batch) = before_cell;
    }
  }

  // Returns the states after the last computed step, or the initial ones if there are no steps.
  Rows<C> last(const Rows<C>& states, const Rows<C>& initial) const {
    return steps ? Rows<C>(states.middleRows(step_at(steps - 1) * batch, batch)) : initial;
  }

  // Returns the loss's gradient by the inputs, and adds that by the parameters to `parameter_gradients`. At the call,
  // `state` and `state_cell` hold the gradients by the last states; afterwards they hold those by the initial states.
  Rows<C> backward(const Rows<C>& output_gradients, Rows<C>* state, Rows<C>* state_cell, C* parameter_gradients) const {
    const int64_t units = network.units;
    Rows<C> gate_gradients = Rows<C>::Zero(steps * batch, network.gates * units);
    Rows<C> state_gate_gradients = Rows<C>::Zero(steps * batch, network.gates * units);
    Rows<C> earlier(steps * batch, units);
    for (int64_t i = steps - 1; i >= 0; i--) {
      int64_t step = step_at(i), place = step * batch;
      const Rows<C> before = i ? Rows<C>(hidden.middleRows(step_at(i - 1) * batch, batch)) : initial;
      const Rows<C> before_cell = i ? Rows<C>(cell.middleRows(step_at(i - 1) * batch, batch)) : initial_cell;
      earlier.middleRows(place, batch) = before;
      Rows<C> direct = *state;  // the gradient that reaches the previous state other than by the states' matrices
      for (int64_t row = 0; row < batch; row++) {
        if (!is_in(step, row)) continue;
        int64_t at = place + row;
        for (int64_t unit = 0; unit < units; unit++) {
          const C* gate = &gates(at, unit);
          C* to = &gate_gradients(at, unit);
          C* to_state = &state_gate_gradients(at, unit);
          C gradient = (*state)(row, unit) + output_gradients(at, unit);
          direct(row, unit) = 0;
          if (network.mode == Network::LSTM) {
            C in = gate[0], forget = gate[units], candidate = gate[2 * units], out = gate[3 * units];
            C cell_tanh = std::tanh(cell(at, unit));
            C cell_gradient = (*state_cell)(row, unit) + gradient * out * (1 - cell_tanh * cell_tanh);
            to[0] = cell_gradient * candidate * in * (1 - in);
            to[units] = cell_gradient * before_cell(row, unit) * forget * (1 - forget);
            to[2 * units] = cell_gradient * in * (1 - candidate * candidate);
            to[3 * units] = gradient * cell_tanh * out * (1 - out);
            (*state_cell)(row, unit) = cell_gradient * forget;
          } else if (network.mode == Network::GRU) {
            C reset = gate[0], update = gate[units], candidate = gate[2 * units];
            C candidate_gradient = gradient * (1 - update) * (1 - candidate * candidate);
            to[0] = candidate_gradient * reset_input(at, unit) * reset * (1 - reset);
            to[units] = gradient * (before(row, unit) - candidate) * update * (1 - update);
            to[2 * units] = candidate_gradient;
            direct(row, unit) = gradient * update;
          } else {
            to[0] = gradient * (network.mode == Network::TANH ? 1 - gate[0] * gate[0] : C(gate[0] > 0));
          }
          for (int number = 0; number < network.gates; number++) to_state[number * units] = to[number * units];
          if (network.mode == Network::GRU) to_state[2 * units] *= gate[0];
        }
      }
      *state = direct + state_gate_gradients.middleRows(place, batch) * states();
    }
    using Into = Eigen::Map<Rows<C>>;
    const int64_t rows = network.gates * units;
    if (!skips()) Into(parameter_gradients + part.matrix, rows, part.inputs) += gate_gradients.transpose() * inputs;
    Into(parameter_gradients + part.states, rows, units) += state_gate_gradients.transpose() * earlier;
    Into(parameter_gradients + part.bias, 1, rows) += gate_gradients.colwise().sum();
    Into(parameter_gradients + part.state_bias, 1, rows) += state_gate_gradients.colwise().sum();
    if (!skips()) return gate_gradients * weights();
    Rows<C> passed = Rows<C>::Zero(steps * batch, units);
    for (int number = 0; number < network.gates; number++) passed += gate_gradients.middleCols(number * units, units);
    return passed;
  }
};

// One run of an op, whose tensors have elements of type T. It computes in type C.
template <typename T>
class Recurrent {
  using C = typename std::conditional<std::is_same<T, double>::value, double, float>::type;

 public:
  Recurrent(const NodeDef& node, OpKernelContext* context)
      : context_(context),
        time_major_(flag_of(node, "time_major", true)),
        has_lengths_(node.op().find("V3") != std::string::npos),
        is_backprop_(node.op().find("Backprop") != std::string::npos),
        training_(is_backprop_ || flag_of(node, "is_training", true)),
        input_(context->input(0)),
        state_(context->input(1)),
        steps_(input_.dim_size(time_major_ ? 0 : 1)),
        batch_(input_.dim_size(time_major_ ? 1 : 0)),
        parts_(state_.dim_size(time_major_ ? 0 : 1)),
        network_(node, parts_ / (text_of(node, "direction", "") == "bidirectional" ? 2 : 1), state_.dim_size(2),
                 input_.dim_size(2)) {
    lengths_.assign(batch_, steps_);
    if (has_lengths_)
      for (int64_t row = 0; row < batch_; row++) lengths_[row] = context->input(4).template flat<int32_t>()(row);
  }

  Result run() {
    if (context_->input(3).NumElements() != network_.size)
      return errors::InvalidArgument("params has ", context_->input(3).NumElements(), " elements, and the network ",
                                     network_.size);
    auto parameters = context_->input(3).template flat<T>();
    parameters_.resize(network_.size);
    for (int64_t i = 0; i < network_.size; i++) parameters_[i] = static_cast<C>(parameters(i));
    return is_backprop_ ? backward() : forward();
  }

 private:
  bool has_cell() const { return network_.mode == Network::LSTM; }

  // Returns the index of an example's row of a step in the op's inputs and outputs.
  int64_t row_of(int64_t step, int64_t row) const { return time_major_ ? step * batch_ + row : row * steps_ + step; }
  // Returns the index of an example's row of a part in the op's states.
  int64_t state_of(int64_t part, int64_t row) const { return time_major_ ? part * batch_ + row : row * parts_ + part; }

  // Reads a tensor of [time, batch, width], or [batch, time, width], as a Strand has its rows; `write` writes one.
  Rows<C> read(const Tensor& tensor, int64_t width) const {
    Rows<C> rows(steps_ * batch_, width);
    auto from = tensor.flat<T>();
    for (int64_t step = 0; step < steps_; step++)
      for (int64_t row = 0; row < batch_; row++)
        for (int64_t i = 0; i < width; i++)
          rows(step * batch_ + row, i) = static_cast<C>(from(row_of(step, row) * width + i));
    return rows;
  }

  void write(const Rows<C>& from, Tensor* tensor) const {
    auto to = tensor->flat<T>();
    for (int64_t step = 0; step < steps_; step++)
      for (int64_t row = 0; row < batch_; row++)
        for (int64_t i = 0; i < from.cols(); i++)
          to(row_of(step, row) * from.cols() + i) = static_cast<T>(from(step * batch_ + row, i));
  }

  // Reads a part's states, one row for each example: zeros from an empty tensor. `write_state` writes them.
  Rows<C> read_state(const Tensor& tensor, int64_t part) const {
    Rows<C> state = Rows<C>::Zero(batch_, network_.units);
    if (!tensor.NumElements()) return state;
    auto from = tensor.flat<T>();
    for (int64_t row = 0; row < batch_; row++)
      for (int64_t i = 0; i < network_.units; i++)
        state(row, i) = static_cast<C>(from(state_of(part, row) * network_.units + i));
    return state;
  }

  void write_state(const Rows<C>& from, int64_t part, Tensor* tensor) const {
    auto to = tensor->flat<T>();
    for (int64_t row = 0; row < batch_; row++)
      for (int64_t i = 0; i < network_.units; i++)
        to(state_of(part, row) * network_.units + i) = static_cast<T>(from(row, i));
  }

  // Returns the factors of a layer's inputs under dropout: 0 for dropped ones, 1 / (1 - dropout) for the others.
  Rows<C> mask(int64_t layer, int64_t columns, uint64_t seed) const {
    Rows<C> factors(steps_ * batch_, columns);
    for (int64_t i = 0; i < factors.size(); i++)
      factors.data()[i] = fraction_at(seed + layer, i) < network_.dropout ? 0 : 1 / (1 - network_.dropout);
    return factors;
  }

  bool drops(int64_t layer) const { return training_ && network_.dropout > 0 && layer > 0; }

  // Computes all parts: fills strands_ and output_. seed: of dropout.
  void run_forward(const Rows<C>& inputs, uint64_t seed) {
    Rows<C> passed = inputs;
    for (int64_t layer = 0; layer < network_.layers; layer++) {
      if (drops(layer)) passed.array() *= mask(layer, passed.cols(), seed).array();
      Rows<C> out(steps_ * batch_, network_.units * network_.directions);
      for (int direction = 0; direction < network_.directions; direction++) {
        int64_t part = layer * network_.directions + direction;
        strands_.push_back(
            {network_, network_.parts[part], parameters_.data(), steps_, batch_, direction == 1, lengths_});
        Strand<C>& strand = strands_.back();
        strand.inputs = passed;
        strand.initial = read_state(state_, part);
        strand.initial_cell = has_cell() ? read_state(context_->input(2), part) : strand.initial;
        strand.forward();
        auto to = out.middleCols(direction * network_.units, network_.units);
        to = strand.hidden;
        for (int64_t row = 0; row < batch_; row++)
          for (int64_t step = lengths_[row]; step < steps_; step++) to.row(step * batch_ + row).setZero();
      }
      passed = out;
    }
    output_ = passed;
  }

  // Computes the op's outputs. The seed of dropout is kept in the reserve space, from which `backward` reads it.
  Result forward() {
    static std::atomic<uint64_t> runs{0};
    uint64_t seed = network_.seed * 0x9e3779b97f4a7c15u + (drops(1) ? runs++ << 8 : 0);
    strands_.reserve(parts_);
    run_forward(read(input_, network_.input), seed);
    Tensor *output, *hidden, *cell, *reserve, *host;
    TensorShape shape({time_major_ ? steps_ : batch_, time_major_ ? batch_ : steps_, output_.cols()});
    int64_t kept = (sizeof seed + sizeof(T) - 1) / sizeof(T);
    TF_RETURN_IF_ERROR(context_->allocate_output(0, shape, &output));
    TF_RETURN_IF_ERROR(context_->allocate_output(1, state_.shape(), &hidden));
    TF_RETURN_IF_ERROR(context_->allocate_output(2, has_cell() ? state_.shape() : TensorShape({}), &cell));
    TF_RETURN_IF_ERROR(context_->allocate_output(3, TensorShape({training_ ? kept : 0}), &reserve));
    if (context_->num_outputs() > 4) TF_RETURN_IF_ERROR(context_->allocate_output(4, TensorShape({0}), &host));
    if (training_) std::memcpy(const_cast<char*>(reserve->tensor_data().data()), &seed, sizeof seed);
    write(output_, output);
    for (int64_t part = 0; part < parts_; part++) {
      write_state(strands_[part].last(strands_[part].hidden, strands_[part].initial), part, hidden);
      if (has_cell()) write_state(strands_[part].last(strands_[part].cell, strands_[part].initial_cell), part, cell);
    }
    return Result();
  }

  // Computes the gradients of the op's inputs.
  Result backward() {
    // The inputs from this one on: the output, its hidden and cell states, the gradients by these, the reserve space.
    const int after = has_lengths_ ? 5 : 4;
    uint64_t seed;
    std::memcpy(&seed, context_->input(after + 6).tensor_data().data(), sizeof seed);
    strands_.reserve(parts_);
    run_forward(read(input_, network_.input), seed);
    std::vector<C> parameter_gradients(network_.size, 0);
    Tensor *input, *hidden, *cell, *parameters;
    TF_RETURN_IF_ERROR(context_->allocate_output(0, input_.shape(), &input));
    TF_RETURN_IF_ERROR(context_->allocate_output(1, state_.shape(), &hidden));
    TF_RETURN_IF_ERROR(context_->allocate_output(2, has_cell() ? state_.shape() : TensorShape({}), &cell));
    TF_RETURN_IF_ERROR(context_->allocate_output(3, context_->input(3).shape(), &parameters));
    Rows<C> output_gradients = read(context_->input(after + 3), output_.cols());
    for (int64_t layer = network_.layers - 1; layer >= 0; layer--) {
      Rows<C> passed = Rows<C>::Zero(steps_ * batch_, network_.parts[layer * network_.directions].inputs);
      for (int direction = 0; direction < network_.directions; direction++) {
        int64_t part = layer * network_.directions + direction;
        Rows<C> state = read_state(context_->input(after + 4), part);
        Rows<C> cell_gradient = has_cell() ? read_state(context_->input(after + 5), part) : state;
        Rows<C> own = output_gradients.middleCols(direction * network_.units, network_.units);
        passed += strands_[part].backward(own, &state, &cell_gradient, parameter_gradients.data());
        write_state(state, part, hidden);
        if (has_cell()) write_state(cell_gradient, part, cell);
      }
      if (drops(layer)) passed.array() *= mask(layer, passed.cols(), seed).array();
      output_gradients = passed;
    }
    write(output_gradients, input);
    auto to = parameters->flat<T>();
    for (int64_t i = 0; i < network_.size; i++) to(i) = static_cast<T>(parameter_gradients[i]);
    return Result();
  }

  OpKernelContext* context_;
  bool time_major_, has_lengths_, is_backprop_, training_;
  const Tensor &input_, &state_;
  int64_t steps_, batch_, parts_;
  Network network_;
  std::vector<int64_t> lengths_;  // the number of each example's steps
  std::vector<C> parameters_;
  std::vector<Strand<C>> strands_;  // by part
  Rows<C> output_;                  // the last layer's, all directions side by side
};

// Returns the offset and shape of each matrix, or each bias, in the order of the parameters.
inline std::vector<std::pair<int64_t, TensorShape>> pieces(const Network& network, bool biases) {
  std::vector<std::pair<int64_t, TensorShape>> all;
  for (const Network::Part& part : network.parts)
    for (int i = 0; i < 2 * network.gates; i++) {
      bool of_state = i >= network.gates;
      int64_t gate = i % network.gates, width = of_state ? network.units : part.inputs;
      if (biases)
        all.emplace_back((of_state ? part.state_bias : part.bias) + gate * network.units, TensorShape({network.units}));
      else
        all.emplace_back((of_state ? part.states : part.matrix) + gate * network.units * width,
                         TensorShape({network.units, width}));
    }
  return all;
}

// Runs the ops of parameters: computes their number, or copies them to or from separate matrices and biases.
inline Result arrange(const NodeDef& node, OpKernelContext* context) {
  auto number = [&](int i) { return static_cast<int64_t>(context->input(i).scalar<int32_t>()()); };
  Network network(node, number(0), number(1), number(2));
  if (node.op() == "CudnnRNNParamsSize") {
    Tensor* size;
    TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({1}), &size));
    std::memcpy(const_cast<char*>(size->tensor_data().data()), &network.size, size->TotalBytes());  // int32 or int64
    return Result();
  }
  auto all = pieces(network, false), biases = pieces(network, true);
  all.insert(all.end(), biases.begin(), biases.end());
  size_t unit = DataTypeSize(context->input_dtype(3));
  bool split = node.op().find("ParamsToCanonical") != std::string::npos;
  Tensor* whole = nullptr;
  if (!split) TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({network.size}), &whole));
  if (static_cast<int>(all.size()) != (split ? context->num_outputs() : context->num_inputs() - 3))
    return errors::InvalidArgument("the network has ", all.size(), " matrices and biases");
  for (size_t i = 0; i < all.size(); i++) {
    Tensor* piece = nullptr;
    if (split) TF_RETURN_IF_ERROR(context->allocate_output(i, all[i].second, &piece));
    const Tensor& from = split ? context->input(3) : context->input(3 + i);
    size_t bytes = all[i].second.num_elements() * unit, at = all[i].first * unit;
    if (from.TotalBytes() < (split ? at + bytes : bytes)) return errors::InvalidArgument("too few parameters");
    std::memcpy(const_cast<char*>((split ? piece : whole)->tensor_data().data()) + (split ? 0 : at),
                from.tensor_data().data() + (split ? at : 0), bytes);
  }
  return Result();
}

// Runs one of cuDNN's recurrent ops (CudnnRNN...).
inline Result compute_recurrent(const NodeDef& node, OpKernelContext* context) {
  if (number_of(node, "num_proj", 0))
    return errors::Unimplemented(node.op(), " with num_proj is not computed on simulated GPUs: leave num_proj out");
  if (node.op().find("Params") != std::string::npos) return arrange(node, context);
  switch (context->input_dtype(0)) {
  case DT_HALF: return Recurrent<Eigen::half>(node, context).run();
  case DT_BFLOAT16: return Recurrent<bfloat16>(node, context).run();
  case DT_FLOAT: return Recurrent<float>(node, context).run();
  case DT_DOUBLE: return Recurrent<double>(node, context).run();
  default: return errors::Unimplemented(node.op(), " of this type is not computed on simulated GPUs");
  }
}

}  // namespace values

#endif
