/* The mapped machine file. Exported, since the runtime and NVML use it, too. */
#ifndef TF1MEM_DRIVER_MACHINE_FILE_H
#define TF1MEM_DRIVER_MACHINE_FILE_H

#include "api.h"

#include "machine.h"

/* Returns the machine that TF1MEM_SIM_MACHINE names, mapped at the first call. NULL if there is none; stderr then
 * has the reason, once. */
DRIVER_API struct machine *sim_machine(void);

#endif
