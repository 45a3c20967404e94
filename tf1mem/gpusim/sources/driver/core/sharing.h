/* The lock of the machine file, and the records of processes in it. Exported, since the runtime and NVML use them, too.
 */
#ifndef TF1MEM_DRIVER_SHARING_H
#define TF1MEM_DRIVER_SHARING_H

#include "machine_file.h"

#include <stdbool.h>

/* Takes the machine's lock, and frees the memory of dead processes, with a "killed" line in the trace for each GPU. */
DRIVER_API void sim_lock(struct machine *machine);
DRIVER_API void sim_unlock(struct machine *machine);

/* Returns true if the record's process hasn't been marked as ended. */
static inline bool sim_lives(const struct machine_process *process) {
    return process->pid && process->ended == MACHINE_RUNNING;
}

/* Returns the bytes in use on a GPU: those of all processes, plus used_by_others_bytes. The lock must be held. */
DRIVER_API uint64_t sim_in_use(const struct machine *machine, int gpu);

/* Returns a new record for this process, or NULL if all are in use. The lock must be held. */
struct machine_process *sharing_join(struct machine *machine);
/* Ends this process's record, with an "exit" line for each GPU that it used. The lock must be held. */
void sharing_leave(struct machine *machine, struct machine_process *process);

#endif
