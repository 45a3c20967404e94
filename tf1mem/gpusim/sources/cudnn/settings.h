/* The settings that descriptors of cuDNN's older API store. */
#ifndef CUDNN_SETTINGS_H
#define CUDNN_SETTINGS_H

#include "workspaces.h"

/* A descriptor of any kind. */
struct settings {
    int math_type;       /* a convolution's */
    struct sizes sizes;  /* a tensor's or filter's */
    struct steps steps;  /* a convolution's */
};

#endif
