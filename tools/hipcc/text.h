/* Strings, argument vectors, paths and whole files for a short-lived program:
 * everything allocated here lives until ah_text_release. Running out of memory ends
 * the program with a message, so nothing here fails for that reason. */
#ifndef AH_HIPCC_TEXT_H
#define AH_HIPCC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A growing list of strings; at[count] is NULL once something was pushed. */
struct ah_strings {
    const char **at;
    size_t count, capacity;
};

void *ah_text_alloc(size_t size); /* zeroed */
char *ah_text_copy(const char *text, size_t length);
char *ah_text_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ah_text_release(void);

void ah_strings_push(struct ah_strings *list, const char *text);
void ah_strings_append(struct ah_strings *list, const struct ah_strings *more);
bool ah_strings_contain(const struct ah_strings *list, const char *text);

/* Pushes the pieces of text between any of the separator characters; empty ones are dropped. */
void ah_strings_split(struct ah_strings *list, const char *text, const char *separators);

/* Splits text into arguments as a compiler's response file: white space separates,
 * quotes group, a backslash takes the next character literally. */
void ah_strings_split_quoted(struct ah_strings *list, const char *text);

/* text as one word of a POSIX shell, quoted where it must be. */
const char *ah_text_quote(const char *text);

bool ah_text_starts(const char *text, const char *prefix);
bool ah_text_ends(const char *text, const char *suffix);

/* What follows prefix in text, or NULL when text starts otherwise. */
const char *ah_text_after(const char *text, const char *prefix);

/* text with every occurrence of from replaced by to. */
const char *ah_text_replace(const char *text, const char *from, const char *to);

const char *ah_path_base(const char *path);                        /* a/b.c -> b.c */
const char *ah_path_folder(const char *path);                      /* a/b.c -> a, b.c -> . */
const char *ah_path_stem(const char *path);                        /* a/b.c -> b */
const char *ah_path_with(const char *path, const char *extension); /* a/b.c, ".o" -> a/b.o */
const char *ah_path_absolute(const char *path); /* not resolved, only made absolute */
bool ah_path_exists(const char *path);
bool ah_path_is_file(const char *path);
bool ah_path_is_program(const char *path);

/* The whole file with a NUL after it, or NULL (errno says why). */
char *ah_file_read(const char *path, size_t *out_size);

/* Writes beside path and renames, so that readers see the old file or the new one. A path that is
 * no regular file (a device, "-" for standard output) is written directly. */
bool ah_file_write(const char *path, const void *data, size_t size);

#endif
