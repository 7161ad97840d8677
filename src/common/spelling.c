/* Owns the search for similar words. */
#include "spelling.h"

#include <string.h>

enum { LENGTH_MAX = 64, CHANGES_MAX = 3 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance; more than any that counts for words that are too long. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[LENGTH_MAX + 1];
    size_t length = strlen(b);
    if (length > LENGTH_MAX)
        return CHANGES_MAX + 1;
    for (unsigned i = 0; i <= length; i++)
        row[i] = i;
    for (unsigned line = 1; *a; a++, line++) {
        unsigned diagonal = row[0];
        row[0] = line;
        for (size_t i = 1; i <= length; i++) {
            unsigned above = row[i];
            row[i] = least(least(above, row[i - 1]) + 1, diagonal + (*a != b[i - 1]));
            diagonal = above;
        }
    }
    return row[length];
}

const char *ah_spelling_nearest(const char *word, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    unsigned changes = least(CHANGES_MAX, (unsigned)strlen(word) / 2) + 1;
    for (size_t i = 0; i < count; i++) {
        unsigned found = distance(word, words[i]);
        if (found < changes) {
            changes = found;
            nearest = words[i];
        }
    }
    return nearest;
}
