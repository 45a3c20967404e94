// The ways to compute an op's value, since a simulated GPU doesn't run the kernels that the op's GPU kernel launches.
#ifndef TF1MEM_VALUES_WAYS_H
#define TF1MEM_VALUES_WAYS_H

#include <cstring>
#include <string>
#include <unordered_set>

namespace values {

enum Way {
  // The GPU kernel runs, which allocates all memory; then the CPU kernel computes into its outputs.
  AFTER,
  // The CPU kernel runs instead of the GPU's, with its outputs on the GPU: the GPU kernel depends on values that it has
  // computed (such as their number), or needs a library that the simulator lacks.
  ALONE,
  // The CPU kernel runs instead of the GPU's, with all its memory on the GPU: it changes a variable, for which it may
  // allocate new memory as the GPU kernel would, or creates lists of tensors.
  IN_PLACE,
  // The CPU kernel runs instead of the GPU's, in the host's memory, and its outputs are copied to the GPU, except for a
  // sparse matrix: the tensors in that variant stay on the host.
  COPIED,
  // Only the GPU kernel runs: it calls other ops, each of which is computed in its own way. The CPU kernel would call
  // them again.
  BY_ITS_OPS,
  // Neither kernel runs: the op is computed here (rnn.h).
  HERE,
  // Only the GPU kernel runs, of an op that combines the tensors of several devices: it copies tensors and calls ops
  // that add them, or it calls NCCL, whose results are computed in collectives.h.
  COLLECTIVE,
};

inline Way way_of(const std::string& op) {
  // This runs at each run of each op on a GPU, so the set is made once.
  // clang-format off
  static const auto* alone = new std::unordered_set<std::string>{
      "Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", "MatrixSolve", "MatrixTriangularSolve",
      "TridiagonalSolve", "TridiagonalMatMul", "Qr", "Svd", "SelfAdjointEigV2", "Lu", "MatrixSquareRoot",
      "FFT", "FFT2D", "FFT3D", "FFTND", "IFFT", "IFFT2D", "IFFT3D", "IFFTND",
      "RFFT", "RFFT2D", "RFFT3D", "RFFTND", "IRFFT", "IRFFT2D", "IRFFT3D", "IRFFTND",
      "BatchFFT", "BatchFFT2D", "BatchFFT3D", "BatchIFFT", "BatchIFFT2D", "BatchIFFT3D", "Range",
      "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5", "CTCLossV2",
  };
  static const char* const in_place[] = {
      "Assign", "Apply", "SparseApply", "Scatter", "ResourceApply", "ResourceSparseApply", "ResourceScatter",
      "TensorArrayGather", "TensorArrayConcat", "TensorArrayScatter", "TensorArraySplit", "TensorArrayWrite",
      "TensorArrayRead", "TensorArrayPack", "TensorArrayUnpack",
      "TensorListPushBackBatch", "TensorListPopBack", "TensorListSplit",
  };
  static const char* const copied[] = {
      "SparseMatrix", "CSRSparseMatrix", "DenseToCSRSparseMatrix", "SparseTensorToCSRSparseMatrix",
  };
  // clang-format on
  if (op == "EagerPyFunc") return BY_ITS_OPS;
  if (op.compare(0, 8, "CudnnRNN") == 0) return HERE;
  if (op.compare(0, 10, "Collective") == 0) return COLLECTIVE;
  if (alone->count(op)) return ALONE;
  if (op == "ScatterNd" || op == "AssignVariableOp") return AFTER;
  for (const char* prefix : in_place)
    if (op.compare(0, std::strlen(prefix), prefix) == 0) return IN_PLACE;
  for (const char* prefix : copied)
    if (op.compare(0, std::strlen(prefix), prefix) == 0) return COPIED;
  return AFTER;
}

// Returns true for an op whose kernels are asynchronous on both devices, since they wait for a value that they compute
// themselves: CropAndResize checks whether its boxes are within range.
inline bool waits_for_itself(const std::string& op) { return op.compare(0, 13, "CropAndResize") == 0; }

// Returns true for an op that takes variants, such as lists of tensors, as well as numbers. For a list it returns a new
// list, with new memory for each tensor in it.
inline bool takes_variants(const std::string& op) {
  return op == "AddN" || op == "ZerosLike" || op == "OnesLike" || op == "Conj";
}

// Returns true if the CPU kernel may write its output into an input's memory, as the GPU kernel does. TensorFlow's CPU
// kernel for the gradient of MaxPool's gradient returns zeros then.
inline bool may_forward(const std::string& op) {
  return op.compare(0, 7, "MaxPool") != 0 || op.find("GradGrad") == std::string::npos;
}

}  // namespace values

#endif
