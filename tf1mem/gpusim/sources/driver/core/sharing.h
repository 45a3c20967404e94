/* The machine file, mapped, and its lock. Exported: the runtime and NVML use them too. */
#ifndef TF1MEM_DRIVER_SHARING_H
#define TF1MEM_DRIVER_SHARING_H

#include "api.h"

#include "machine.h"

#include <stdbool.h>

/* The machine that TF1MEM_SIM_MACHINE names, mapped at the first call. NULL where there is none; stderr then says why,
 * once. */
DRIVER_API struct machine *sim_machine(void);

/* Takes the machine's lock, and gives back what dead processes held, with a "killed" line in the trace for each GPU. */
DRIVER_API void sim_lock(struct machine *machine);
DRIVER_API void sim_unlock(struct machine *machine);

/* Whether a record is of a process that has not ended, as far as is known. */
static inline bool sim_lives(const struct machine_process *process) {
    return process->pid && process->ended == MACHINE_RUNNING;
}

/* What all processes and others hold on a GPU, in bytes. The lock is held. */
DRIVER_API uint64_t sim_in_use(const struct machine *machine, int gpu);

/* A new record for this process, or NULL where all are taken. The lock is held. */
struct machine_process *sharing_join(struct machine *machine);
/* Ends this process's record, with an "exit" line for each GPU that it used. The lock is held. */
void sharing_leave(struct machine *machine, struct machine_process *process);

#endif
