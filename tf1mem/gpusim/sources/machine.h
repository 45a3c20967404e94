/* The file that all processes of one simulation map: the GPUs, and each process's memory on them.
 *
 * machine.py creates it and repeats this layout in ctypes; a test compares every size and offset. Change both
 * together, and MACHINE_LAYOUT with them.
 */
#ifndef TF1MEM_MACHINE_H
#define TF1MEM_MACHINE_H

#include <pthread.h>
#include <stdint.h>

#define MACHINE_MAGIC "tf1mem machine\n" /* with its closing zero, the first 16 bytes of the file */
#define MACHINE_LAYOUT 5
#define MACHINE_GPUS 16
#define MACHINE_PROCESSES 1024

_Static_assert(sizeof(pthread_mutex_t) <= 64, "machine.py keeps 64 bytes for the lock");

struct machine_gpu {
    char name[64];
    char uuid[48];       /* in nvidia-smi's form: "GPU-" and 36 characters */
    char pci_bus_id[16]; /* "0000:01:00.0" */
    uint64_t total_bytes;
    uint64_t used_by_others_bytes; /* in use by processes outside of the simulation, from the start */
    uint64_t context_bytes;        /* what each context takes */
    int32_t compute_major;
    int32_t compute_minor;
    /* The card's figures. For an unknown one, 0, the driver returns that of a card of the same compute capability. */
    int32_t multiprocessors;
    int32_t clock_khz;
    int32_t memory_clock_khz;
    int32_t memory_bus_bits;
};

/* The account of one process on one GPU. Only that process writes it, under the lock except for launches and
 * computed (atomic). */
struct machine_usage {
    uint64_t reserved; /* bytes on the GPU now: device, pool and virtual memory, and contexts */
    uint64_t peak;     /* the highest value of `reserved` */
    uint64_t managed;  /* bytes of managed memory now, which may exceed the GPU's memory and takes none of it */
    uint64_t regions;  /* allocations made, of every kind but contexts */
    uint64_t refused;  /* allocations refused */
    uint64_t launches; /* kernels launched */
    uint64_t computed; /* launches whose values were computed */
    uint64_t used;     /* 1 from the first context on */
};

/* The values of `ended`. The account of an ended process is kept until its record is needed. */
enum { MACHINE_RUNNING, MACHINE_ENDED, MACHINE_KILLED };

struct machine_process {
    int32_t pid;   /* 0: this record has never been used */
    int32_t ended; /* a value of the enum above; written last when a record is taken */
    uint64_t start_time; /* field 22 of /proc/PID/stat, which tells apart processes that have the same pid */
    struct machine_usage usage[MACHINE_GPUS];
};

struct machine {
    char magic[16];
    uint32_t layout;
    uint32_t gpu_count;
    uint64_t size; /* the size of this struct, in bytes */
    union {
        pthread_mutex_t mutex; /* process-shared and robust */
        char space[64];        /* glibc's is 40 bytes on x86-64 and 48 on aarch64 */
    } lock;
    uint32_t process_count; /* the number of records that have ever been used */
    uint32_t trace_cut;     /* 1: a line of the trace could not be written, and no later one is */
    struct machine_gpu gpus[MACHINE_GPUS];
    struct machine_process processes[MACHINE_PROCESSES];
};

#endif
