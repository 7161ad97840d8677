/* Steps of a compilation and their order: each runs a program, or a function of this
 * one, or both in turn, after the steps it needs. Independent steps run at the same
 * time; what they say on standard error comes out in the order they were added. */
#ifndef AH_HIPCC_JOBS_H
#define AH_HIPCC_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

struct ah_job {
    struct ah_strings argv;      /* empty: no program to run */
    const char *standard_input;  /* file the program reads, or NULL for none */
    const char *standard_output; /* file the program writes, or NULL for this program's */
    const char *target;          /* architecture a device pass is for, for messages; or NULL */
    /* What remains to be done in this process once the program succeeded; false is failure, said
     * on standard error. `shows` says in words what it does, for -###. */
    bool (*finish)(struct ah_job *job);
    void *context;
    const char *shows;
    const char *product; /* final output of the user, removed when the step fails; or NULL */

    /* Owned by jobs.c. */
    size_t *needs;
    size_t need_count;
    int state;
    int pid;
    const char *said; /* file with its standard error */
    int status;
};

struct ah_jobs {
    struct ah_job **at;
    size_t count, capacity;
};

struct ah_jobs_options {
    unsigned parallel; /* programs at the same time, at least 1 */
    bool dry_run;      /* only print every step */
    bool verbose;      /* print every step before it runs */
};

struct ah_job *ah_jobs_add(struct ah_jobs *jobs);

/* job runs after earlier, which was added before it. */
void ah_job_needs(struct ah_jobs *jobs, struct ah_job *job, const struct ah_job *earlier);

/* Runs all; 0, or the exit status of the first step that failed. */
int ah_jobs_run(struct ah_jobs *jobs, const struct ah_jobs_options *options);

/* Runs argv and returns what it wrote on standard output, NULL when it failed. */
char *ah_jobs_output_of(const struct ah_strings *argv);

/* The number of processors this process may use. */
unsigned ah_jobs_processors(void);

/* The command line as a shell would take it. */
const char *ah_jobs_command(const struct ah_strings *argv);

#endif
