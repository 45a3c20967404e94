/* The functions that the simulated driver and the library that computes values (values.cc) call in each other. */
#ifndef TF1MEM_VALUES_DRIVER_H
#define TF1MEM_VALUES_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct values_driver {
  /* Returns the number of kernels that this thread has launched. */
  uint64_t (*launches)(void);
  /* Waits for all enqueued work of all streams, so that all copies and memsets are done. */
  void (*settle)(void);
  /* Reports that the values of this thread's last `launches` launches have been computed. */
  void (*computed)(uint64_t launches);
  /* Reports that the values of one launch, of any thread, have been computed into memory at this address. */
  void (*computed_at)(const void* address);
  /* Reports that the values of a kind of op aren't computed, and why. */
  void (*not_computed)(const char* op, const char* why);
  /* Returns true if an address is in memory that the driver has allocated. */
  bool (*has_allocated)(const void* address);
  /* True if all values are computed, false if only shapes and counters are (shapes.h). */
  bool values;
};

/* Called with each kind of op, and the numbers of its computed and other launches. */
typedef void values_each(const char* op, uint64_t computed, uint64_t not_computed);

#endif
