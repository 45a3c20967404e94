/* What this process takes of the GPUs, against what is left of them. */
#ifndef TF1MEM_DRIVER_ACCOUNTS_H
#define TF1MEM_DRIVER_ACCOUNTS_H

#include "driver/core/api.h"

enum memory_kind { MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_POOL, MEMORY_VIRTUAL };

/* Takes bytes of a GPU (its number on the machine), exactly as many as asked, or is CUDA_ERROR_OUT_OF_MEMORY.
 *
 * Managed memory is counted, and never refused. api: the function that was called, for the trace.
 */
CUresult account_reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
/* The same, but neither counts nor traces a refusal: for a caller that has something to give back, and tries again. */
CUresult account_try(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
/* Counts and traces an allocation that was refused for a reason other than the GPU's size. */
void account_refuse(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
void account_free(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);

/* What is left of a GPU and what it has, in bytes. */
void account_info(int gpu, uint64_t *left, uint64_t *total);

/* The process has a context on the GPU. */
void account_context(int gpu);
void account_launch(int gpu);
/* So many of its launches have been computed. */
void account_computed(int gpu, uint64_t launches);

#endif
