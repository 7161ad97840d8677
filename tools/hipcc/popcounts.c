/* Owns the recognition of loops that count bits. It knows how LLVM prints a loop of one block. */
#include "popcounts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { NAME = 64, LINE = 256, LINES = 7 };

/* "%a = phi i32 [ %b, %c ], [ %d, %e ]", its first pair being that of the loop itself. */
struct phi {
    char name[NAME], next[NAME], first[NAME], before[NAME];
    int bits;
};

/* The lines of the block
 *   %word = phi [ %left, %block ], [ FIRST, %before ]      %less = add %word, -1
 *   %count = phi [ %more, %block ], [ FIRST, %before ]     %left = and %less, %word
 *   %none = icmp eq %left, 0                               %more = add %count, 1
 *   br %none, label %exit, label %block
 * of which the phis come first, and no other does. */
struct loop {
    const char *begin, *end; /* what follows the label, and what follows the block */
    char block[NAME], less[NAME], left[NAME], more[NAME], none[NAME], exit[NAME];
    struct phi word, count;
    bool word_is_first, left_is_first; /* values without names are numbered in order */
};

/* ---- reading ------------------------------------------------------------- */

/* Copies the line at p without flags of arithmetic, which allow what they do not change; what
 * follows it, or NULL at the end of the text. A line that is too long is empty. */
static const char *read_line(const char *p, char line[LINE])
{
    static const char *const flags[] = {" nsw", " nuw"};
    size_t length = strcspn(p, "\n");
    snprintf(line, LINE, "%.*s", length < LINE ? (int)length : 0, p);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char *flag = strstr(line, flags[i]);
        if (flag)
            memmove(flag, flag + strlen(flags[i]), strlen(flag + strlen(flags[i])) + 1);
    }
    return p[length] ? p + length + 1 : NULL;
}

static bool read_phi(const char *line, const char *block, struct phi *out)
{
    char label[NAME];
    const char *second = strstr(line, " ], [ ");
    if (!second || strstr(second + 1, " ], [ ") ||
        sscanf(line, " %63s = phi i%d [ %63[^ ,], %%%63s ], [ %63[^ ,], %63s ]", out->name,
               &out->bits, out->next, label, out->first, out->before) != 6 ||
        (out->bits != 32 && out->bits != 64))
        return false;
    if (!strcmp(label, block))
        return out->before[0] == '%';
    /* the other way round */
    if (out->before[0] != '%' || strcmp(out->before + 1, block) != 0)
        return false;
    char first[NAME];
    strcpy(first, out->next);
    strcpy(out->next, out->first);
    strcpy(out->first, first);
    snprintf(out->before, sizeof out->before, "%%%.62s", label);
    return true;
}

static bool is_pair(const char *a, const char *b, const char *x, const char *y)
{
    return (!strcmp(a, x) && !strcmp(b, y)) || (!strcmp(a, y) && !strcmp(b, x));
}

/* Puts a line of arithmetic where it belongs. */
static bool read_operation(const char *line, struct loop *out)
{
    char name[NAME], operation[NAME], a[NAME], b[NAME];
    int bits;
    if (sscanf(line, " %63s = %63s i%d %63[^ ,], %63[^ ,]", name, operation, &bits, a, b) != 5)
        return false;
    if (!strcmp(operation, "and")) {
        strcpy(out->left, name);
        out->left_is_first = !*out->more;
        return is_pair(a, b, out->less, out->word.name);
    }
    if (strcmp(operation, "add") != 0)
        return false;
    if (!strcmp(b, "-1")) {
        strcpy(out->less, name);
        return !strcmp(a, out->word.name);
    }
    strcpy(out->more, name);
    return !strcmp(a, out->count.name) && !strcmp(b, "1");
}

static bool read_end(const char *compare, const char *branch, struct loop *out)
{
    char name[NAME], value[NAME], block[NAME];
    int bits;
    return sscanf(compare, " %63s = icmp eq i%d %63[^ ,], 0", out->none, &bits, value) == 3 &&
           ah_text_ends(compare, ", 0") && !strcmp(value, out->left) &&
           sscanf(branch, " br i1 %63[^ ,], label %63[^ ,], label %%%63[^ ,]", name, out->exit,
                  block) == 3 &&
           !strcmp(name, out->none) && !strcmp(block, out->block);
}

/* Reads the lines of the block, with one of the phis as the word and the other as the count. */
static bool read_lines(char lines[LINES][LINE], bool word_is_first, struct loop *out)
{
    *out->less = *out->left = *out->more = '\0';
    out->word_is_first = word_is_first;
    return read_phi(lines[!word_is_first], out->block, &out->word) &&
           read_phi(lines[word_is_first], out->block, &out->count) &&
           read_operation(lines[2], out) && read_operation(lines[3], out) &&
           read_operation(lines[4], out) && !strcmp(out->word.next, out->left) &&
           !strcmp(out->count.next, out->more) && read_end(lines[5], lines[6], out);
}

/* Reads the block whose label, at p, ends at colon. */
static bool read_loop(const char *p, const char *colon, struct loop *out)
{
    char lines[LINES][LINE];
    if (colon - p >= NAME)
        return false;
    snprintf(out->block, sizeof out->block, "%.*s", (int)(colon - p), p);
    out->begin = colon + strcspn(colon, "\n");
    out->end = *out->begin ? ++out->begin : NULL;
    for (size_t i = 0; i < LINES; i++)
        if (!out->end || !(out->end = read_line(out->end, lines[i])))
            return false;
    return read_lines(lines, true, out) || read_lines(lines, false, out);
}

/* Whether a name occurs between two places of the text. */
static bool occurs(const char *name, const char *begin, const char *end)
{
    static const char of_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789-$._";
    for (const char *p = begin; (p = strstr(p, name)) && p < end; p++)
        if (!p[strlen(name)] || !strchr(of_names, p[strlen(name)]))
            return true;
    return false;
}

/* Whether nothing else in the function uses what the loop computes on its way. */
static bool is_alone(const char *module, const struct loop *loop)
{
    const char *const names[] = {loop->word.name, loop->less, loop->count.name};
    const char *begin = loop->begin, *end = strstr(loop->end - 1, "\n}");
    while (begin > module && strncmp(begin, "\ndefine ", strlen("\ndefine ")) != 0)
        begin--;
    if (!end)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (occurs(names[i], begin, loop->begin) || occurs(names[i], loop->end, end))
            return false;
    return true;
}

/* The next such loop of module at or after p. */
static bool find_loop(const char *module, const char *p, struct loop *out)
{
    for (; p; p = *p ? p + 1 : NULL) {
        const char *label = p;
        p += strcspn(p, "\n");
        const char *colon = memchr(label, ':', (size_t)(p - label));
        if (*label != ' ' && colon && read_loop(label, colon, out) && is_alone(module, out))
            return true;
    }
    return false;
}

/* ---- writing ------------------------------------------------------------- */

static void write_phi(FILE *out, const struct phi *phi)
{
    fprintf(out, "  %s = phi i%d [ %s, %s ]\n", phi->name, phi->bits, phi->first, phi->before);
}

/* Where the word is 0 from the beginning, the loop counts one. */
static void write_loop(FILE *out, const struct loop *loop, size_t number)
{
    const int from = loop->word.bits, to = loop->count.bits;
    const char *bits = ah_text_print("%%.popcount%zu", number), *step = bits;
    write_phi(out, loop->word_is_first ? &loop->word : &loop->count);
    write_phi(out, loop->word_is_first ? &loop->count : &loop->word);
    fprintf(out, "  %s.all = call i%d @llvm.ctpop.i%d(i%d %s)\n", bits, from, from, from,
            loop->word.name);
    fprintf(out, "  %s = call i%d @llvm.umax.i%d(i%d %s.all, i%d 1)\n", bits, from, from, from,
            bits, from);
    if (from != to) {
        step = ah_text_print("%s.step", bits);
        fprintf(out, "  %s = %s i%d %s to i%d\n", step, from > to ? "trunc" : "zext", from, bits,
                to);
    }
    for (int i = 0; i < 2; i++)
        if (loop->left_is_first == !i)
            fprintf(out, "  %s = and i%d %s, 0\n", loop->left, from, loop->word.name);
        else
            fprintf(out, "  %s = add i%d %s, %s\n", loop->more, to, loop->count.name, step);
    fprintf(out, "  %s = icmp eq i%d %s, 0\n", loop->none, from, loop->left);
    fprintf(out, "  br label %s\n", loop->exit);
}

/* The functions of LLVM that the module does not declare yet. */
static void write_declarations(FILE *out, const char *module)
{
    for (int bits = 32; bits <= 64; bits += 32) {
        if (!strstr(module, ah_text_print("declare i%d @llvm.ctpop.i%d(", bits, bits)))
            fprintf(out, "declare i%d @llvm.ctpop.i%d(i%d)\n", bits, bits, bits);
        if (!strstr(module, ah_text_print("declare i%d @llvm.umax.i%d(", bits, bits)))
            fprintf(out, "declare i%d @llvm.umax.i%d(i%d, i%d)\n", bits, bits, bits, bits);
    }
}

const char *ah_popcounts_use(const char *module)
{
    struct loop loop;
    char *text = NULL;
    size_t size, number = 0;
    const char *rest = module;
    if (!find_loop(module, module, &loop))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (; find_loop(module, rest, &loop); rest = loop.end) {
        fwrite(rest, 1, (size_t)(loop.begin - rest), out);
        write_loop(out, &loop, number++);
    }
    fputs(rest, out);
    write_declarations(out, module);
    const char *changed = fclose(out) == 0 ? ah_text_copy(text, size) : NULL;
    free(text);
    return changed;
}
