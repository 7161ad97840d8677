/* Opening a vendor's library and binding its symbols from rows.
 *
 * Every attempt is recorded with the loader's message, so that a report can list which files were
 * tried and why each failed. */
#ifndef AH_DYNLIB_H
#define AH_DYNLIB_H

#include <stdbool.h>
#include <stddef.h>

enum ah_need { AH_OPTIONAL, AH_REQUIRED };

/* One row of a vendor's symbol table: the offset of its pointer in the struct of pointers. */
struct ah_dynlib_symbol {
    const char *name; /* as exported, e.g. "cuMemAlloc_v2" */
    size_t offset;    /* of the pointer in the caller's struct */
    enum ah_need need;
};

struct ah_dynlib_attempt {
    char *path;
    char *error; /* NULL: this one was opened */
};

struct ah_dynlib {
    void *handle;
    char *path; /* the file that was opened, resolved if the loader reports it */
    struct ah_dynlib_attempt *attempts;
    size_t attempt_count;
    char *missing; /* names of required symbols that were not found, or NULL */
};

/* Tries the candidates in order (a NULL ends the list), RTLD_NOW | RTLD_LOCAL.
 * lib must be zeroed or closed. Returns whether one was opened. */
bool ah_dynlib_open(struct ah_dynlib *lib, const char *const *candidates);

/* Stores each symbol's address in table at its offset; NULL where it is missing.
 * Returns false when a required one is missing; all such names are in lib->missing. */
bool ah_dynlib_bind(struct ah_dynlib *lib, const struct ah_dynlib_symbol *symbols, size_t count,
                    void *table);

/* Closes the library and frees the report. Accepts a zeroed struct. */
void ah_dynlib_close(struct ah_dynlib *lib);

#endif
