/* Maps the machine file. */
#include "machine_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;
static struct machine *mapped;

/* Prints why there is no machine: once, however often a program asks for GPUs. */
static void complain(const char *path, const char *why) {
    static bool reported;
    if (reported) return;
    reported = true;
    if (path) {
        fprintf(stderr, "tf1mem sim: no simulated GPU: the machine file %s %s\n", path, why);
    } else {
        fprintf(stderr, "tf1mem sim: no simulated GPU: %s\n", why);
    }
}

/* Maps a machine file. Returns NULL, with a line on stderr, if this version of tf1mem didn't write it. */
static struct machine *map(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        complain(path, strerror(errno));
        return NULL;
    }
    struct machine *machine = MAP_FAILED;
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_size == (off_t)sizeof *machine)
        machine = mmap(NULL, sizeof *machine, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (machine == MAP_FAILED) {
        complain(path, "was not written by this version of tf1mem");
        return NULL;
    }
    if (memcmp(machine->magic, MACHINE_MAGIC, sizeof machine->magic) != 0 || machine->layout != MACHINE_LAYOUT ||
        machine->size != sizeof *machine || machine->gpu_count > MACHINE_GPUS) {
        complain(path, "was not written by this version of tf1mem");
        munmap(machine, sizeof *machine);
        return NULL;
    }
    return machine;
}

/* Tries again after a failure: a process that forks before it starts the driver may set the variable in the child. */
struct machine *sim_machine(void) {
    pthread_mutex_lock(&mapping);
    if (!mapped) {
        const char *path = getenv("TF1MEM_SIM_MACHINE");
        if (path && *path) {
            mapped = map(path);
        } else {
            complain(NULL, "TF1MEM_SIM_MACHINE is not set. Start the program with `tf1mem sim`");
        }
    }
    struct machine *machine = mapped;
    pthread_mutex_unlock(&mapping);
    return machine;
}
