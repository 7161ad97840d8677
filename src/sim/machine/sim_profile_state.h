/* What the files of profiles share: sums by kernel and shape, and what writes them. */
#ifndef SIM_PROFILE_STATE_H
#define SIM_PROFILE_STATE_H

#include "sim_profile.h"

enum { SIM_PROFILE_VERSION = 1, SIM_PROFILE_RECORDS = 4096 };

/* The launches of a kernel with one shape. Never freed. */
struct sim_profile_record {
    struct sim_profile_kernel kernel; /* its name is a copy */
    char *title;                      /* the name as C++ has it */
    bool others;                      /* all that found no record of their own */
    uint64_t launches, ended, failed;
    uint64_t host_ns; /* from begin to end, of all launches */
    struct sim_profile_counts counts;
};

struct sim_profile_table {
    struct sim_profile_record **records; /* in the order in which they were first launched */
    size_t count, capacity;
    uint64_t lost; /* launches for which there was no memory */
};

/* Writes the table as JSON into a file of the folder that ANYHIP_SIM_PROFILE names. False: it
 * cannot be written, which is logged once. The caller has locked the table. */
bool sim_profile_save(const struct sim_profile_table *table, bool complete);
/* A child that fork made has a file of its own. */
void sim_profile_save_elsewhere(void);

/* For tests: the sum of a kernel's counts so far, whatever the shape. False: there is none. */
bool sim_profile_find(const char *kernel, struct sim_profile_counts *out_counts);
/* For tests: forgets all counts. No launch may be running. */
void sim_profile_forget(void);

#endif
