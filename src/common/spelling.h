/* Suggestions for misspelled words. */
#ifndef AH_SPELLING_H
#define AH_SPELLING_H

#include <stddef.h>

/* The word that is nearest to word by changed, missing and added letters, of which there may be at
 * most three and fewer than half; NULL: there is none. */
const char *ah_spelling_nearest(const char *word, const char *const *words, size_t count);

#endif
