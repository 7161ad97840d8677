/* The program whose calls fail, in sections that use one part of the API each. A section frees
 * everything that it has created, whatever fails, and continues after a failure as far as it
 * can. */
#ifndef FAULT_PROGRAM_H
#define FAULT_PROGRAM_H

#include "support.h"

struct section {
    const char *name;
    void (*run)(void);
};
extern const struct section fault_sections[];
extern const size_t fault_section_count;

/* What calls of the current section returned. */
struct told {
    unsigned calls, failures;
    char first[160]; /* the first call that failed, and with what */
};
extern struct told told;

/* Opens an event of another process. */
extern hipIpcEventHandle_t fault_event;

/* A call of the program: its result is noted. */
#define T(call) note((call), #call)
hipError_t note(hipError_t error, const char *call);

/* A call that frees an object. One that fails is repeated, as by a program: the second time it
 * succeeds, or reports that the object does not exist. */
#define END(call)                                                                                  \
    do {                                                                                           \
        if (T(call) != hipSuccess)                                                                 \
            check_gone((call), #call);                                                             \
    } while (0)
void check_gone(hipError_t error, const char *call);

#endif
