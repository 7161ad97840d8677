/* Private to jit: object files that are kept for the next process that has a region with the same
 * key, in files of a folder of the user's (ANYHIP_SIM_JIT_CACHE).
 *
 * What is in the folder becomes code of this process, so that a file is read only if nobody but
 * the user can have written it, and if its key and a checksum are right. A file appears by a
 * rename, whole. What is not there, or cannot be written, is only compiled again; nothing is
 * logged. All functions may be called from any thread. */
#ifndef JIT_STORE_H
#define JIT_STORE_H

#include "jit_key.h"

/* Whether anything is kept: it is not switched off, there is a folder, and the program has no
 * special rights. */
bool jit_store_is_on(void);

/* Whether there is a file of this key, which may turn out not to be good, or a mark. */
bool jit_store_has(const struct jit_key *key);
/* Marks a key whose object file is being made, for processes that end before it is. Returns whether
 * it was marked before. */
bool jit_store_mark(const struct jit_key *key);
/* The object file, to be freed. NULL: there is none. */
void *jit_store_read(const struct jit_key *key, size_t *out_size);
void jit_store_write(const struct jit_key *key, const void *object, size_t size);

/* For tests: as above in another folder, of which so many bytes may be taken. */
struct jit_store {
    char folder[1100];
    uint64_t limit;
};
bool jit_store_has_in(const struct jit_store *store, const struct jit_key *key);
bool jit_store_mark_in(const struct jit_store *store, const struct jit_key *key);
void *jit_store_read_in(const struct jit_store *store, const struct jit_key *key, size_t *out_size);
void jit_store_write_in(const struct jit_store *store, const struct jit_key *key,
                        const void *object, size_t size);
/* Removes the files that were used last the longest ago, until a quarter of the limit is free, if
 * there are more bytes than that. */
void jit_store_prune(const struct jit_store *store);

#endif
