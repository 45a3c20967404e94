/* libcudnn: handles and descriptors, and convolutions that are not computed. symbols/cudnn.txt marks which function
 * does what. */
#ifndef CUDNN_H
#define CUDNN_H

#include "driver/core/unsupported.h"
#include "math/launch.h"

enum status { SUCCESS, NOT_INITIALIZED, ALLOC_FAILED, BAD_PARAM, EXECUTION_FAILED, NOT_SUPPORTED };

/* The number of a status: cuDNN 9 gave them new ones. version.c is compiled once for each soname. */
int cudnn_status(enum status status);

typedef struct cudnn *cudnnHandle_t;

int cudnn_launch(cudnnHandle_t handle);      /* one kernel, in the handle's stream */
int cudnn_create(void **descriptor);         /* makes a descriptor */
int cudnn_destroy(void *descriptor);
int cudnn_set(void *descriptor);             /* what is set in it decides nothing here */

#endif
