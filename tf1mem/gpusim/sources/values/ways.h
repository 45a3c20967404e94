// How the value of an op is come by, where its GPU kernel launched what a simulated GPU doesn't compute.
#ifndef TF1MEM_VALUES_WAYS_H
#define TF1MEM_VALUES_WAYS_H

#include <cstring>
#include <string>
#include <unordered_set>

namespace values {

enum Way {
  // The GPU's kernel runs, for all that it allocates; then the CPU's computes into its outputs.
  AFTER,
  // The CPU's kernel runs in place of the GPU's, its outputs on the GPU: what the GPU's does depends on values that
  // it has computed (how many there are), or needs a library that the simulator hasn't got.
  ALONE,
  // The CPU's kernel runs in place of the GPU's, and all that it allocates is on the GPU: it changes a variable, whose
  // memory it may have to take anew, in the same code for both, or makes lists of tensors.
  IN_PLACE,
  // The CPU's kernel runs in place of the GPU's, all of it in the host's memory, and what it makes is copied to the GPU,
  // but for a sparse matrix: the tensors in that variant stay the host's.
  COPIED,
  // The GPU's kernel runs, and that is all: it calls ops, each of which is computed, and would call them again.
  BY_ITS_OPS,
  // Neither kernel runs: the op is computed here (rnn.h).
  HERE,
  // The GPU's kernel runs: it copies and calls ops, or leaves it to NCCL, and that is computed here (collectives.h).
  TOGETHER,
};

inline Way way_of(const std::string& op) {
  // Asked for every op that runs on a GPU.
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
  if (op == "EagerPyFunc") return BY_ITS_OPS;
  if (op.compare(0, 8, "CudnnRNN") == 0) return HERE;
  if (op.compare(0, 10, "Collective") == 0) return TOGETHER;
  if (alone->count(op)) return ALONE;
  if (op == "ScatterNd" || op == "AssignVariableOp") return AFTER;
  for (const char* prefix : in_place)
    if (op.compare(0, std::strlen(prefix), prefix) == 0) return IN_PLACE;
  for (const char* prefix : copied)
    if (op.compare(0, std::strlen(prefix), prefix) == 0) return COPIED;
  return AFTER;
}

// Whether an op whose kernels are asynchronous on both waits for what it has computed itself: are boxes within range?
inline bool waits_for_itself(const std::string& op) { return op.compare(0, 13, "CropAndResize") == 0; }

// Whether an op takes variants as it takes tensors: then it makes such of its own, a list of tensors with memory for each.
inline bool is_of_any(const std::string& op) {
  return op == "AddN" || op == "ZerosLike" || op == "OnesLike" || op == "Conj";
}

// Whether the CPU's kernel may have its output in the memory of an input, as the GPU's has. That of the gradient of
// MaxPool's gradient gives zeros then, on a CPU device, too.
inline bool may_forward(const std::string& op) {
  return op.compare(0, 7, "MaxPool") != 0 || op.find("GradGrad") == std::string::npos;
}

}  // namespace values

#endif
