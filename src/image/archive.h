/* Members of an ar archive, as GNU and BSD write them, thin archives included. The bytes may be
 * anything at all. */
#ifndef AH_ARCHIVE_H
#define AH_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

struct ah_archive {
    const char *data;
    size_t size, at;
    bool thin;
    const char *names; /* GNU's table of long names */
    size_t names_size;
};

struct ah_member {
    char name[512];
    const void *data; /* NULL in a thin archive: the member is the file of that name */
    size_t size;
};

enum ah_archive_step { AH_ARCHIVE_MEMBER, AH_ARCHIVE_END, AH_ARCHIVE_DAMAGED };

/* False: not an archive. */
bool ah_archive_open(struct ah_archive *archive, const void *data, size_t size);

/* The next member that is not part of the archive's own bookkeeping. */
enum ah_archive_step ah_archive_next(struct ah_archive *archive, struct ah_member *out);

#endif
