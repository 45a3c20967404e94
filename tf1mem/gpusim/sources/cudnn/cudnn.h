/* The simulated libcudnn. It creates handles and descriptors, and reports convolutions to the driver as launches. The
 * marks in symbols/cudnn.txt say what each function does. */
#ifndef CUDNN_H
#define CUDNN_H

#include "driver/core/unsupported.h"
#include "math/launch.h"

enum status { SUCCESS, NOT_INITIALIZED, ALLOC_FAILED, BAD_PARAM, EXECUTION_FAILED, NOT_SUPPORTED };

/* The number of a status, which cuDNN 9 has changed. version.c is compiled once for each soname. */
int cudnn_status(enum status status);

typedef struct cudnn *cudnnHandle_t;

/* All of these return a status of the opened cuDNN. */
int cudnn_launch(cudnnHandle_t handle);      /* launches one kernel in the handle's stream */
/* Launches a kernel of the slower of two algorithms: so slow that no delay on this machine makes it the faster one. */
int cudnn_launch_slowly(cudnnHandle_t handle);
int cudnn_create(void **descriptor);         /* creates a descriptor of any kind */
int cudnn_destroy(void *descriptor);
int cudnn_set(void *descriptor);             /* ignores a setting, which has no effect here */

#endif
