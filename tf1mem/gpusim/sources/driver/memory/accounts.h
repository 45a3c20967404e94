/* The account of this process's memory on the GPUs, and of the memory that is left. */
#ifndef TF1MEM_DRIVER_ACCOUNTS_H
#define TF1MEM_DRIVER_ACCOUNTS_H

#include "driver/core/api.h"

enum memory_kind { MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_POOL, MEMORY_VIRTUAL, MEMORY_CONTEXT };

/* Reserves bytes of a GPU, or returns CUDA_ERROR_OUT_OF_MEMORY. Managed memory is counted, and never refused.
 *
 * gpu: the GPU's number on the machine. api: the CUDA function that the program called, for the trace.
 */
CUresult account_reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
/* Reserves bytes like account_reserve, but doesn't count or trace a refusal: for a caller that can free memory and try
 * again. */
CUresult account_try(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
/* Counts and traces an allocation that was refused for another reason than the GPU's size. */
void account_refuse(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
void account_free(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);

/* Returns the free and the total bytes of a GPU. */
void account_info(int gpu, uint64_t *left, uint64_t *total);

/* Records that the process has a context on the GPU. */
void account_context(int gpu);
/* Counts a launched kernel. */
void account_launch(int gpu);
/* Counts launches that have been computed. */
void account_computed(int gpu, uint64_t launches);

#endif
