/* What somebody may have meant by a word that is not known. */
#ifndef AH_SPELLING_H
#define AH_SPELLING_H

#include <stddef.h>

/* The one of words that is nearest to word, in changed, missing and added letters, of which there
 * are at most three and fewer than half; NULL: none is. */
const char *ah_spelling_nearest(const char *word, const char *const *words, size_t count);

#endif
