/* Owns the widening of copies. It knows how LLVM prints calls of llvm.memcpy. */
#include "copies.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum {
    WIDEST = 16, /* bytes of one access */
    NARROWEST = 4,
    MOST = 16,    /* accesses of one copy: each takes a register or more */
    LONGEST = 128 /* longer copies become loops */
};

/* An operand of a call: in "ptr addrspace(3) align 16 %x" the type is "ptr addrspace(3)" and the
 * value "%x". */
struct pointer {
    const char *type, *value;
    int type_length, value_length;
    size_t alignment;
};

/* A call, from the first character of its line to that of the next. */
struct copy {
    const char *begin, *end;
    struct pointer to, from;
    size_t size;
};

/* ---- reading ------------------------------------------------------------- */

/* The blank, comma or end that no bracket or quote encloses. */
static const char *end_of_word(const char *p)
{
    int depth = 0;
    for (; *p && *p != '\n'; p++) {
        if (*p == '"')
            p += 1 + strcspn(p + 1, "\"\n");
        if (*p == '(')
            depth++;
        else if (*p == ')' && --depth < 0)
            break;
        else if (!*p || *p == '\n' || (depth == 0 && (*p == ' ' || *p == ',')))
            break;
    }
    return p;
}

/* A name, or a constant expression; words before it are attributes. */
static bool is_value(const char *p)
{
    return *p == '%' || *p == '@' || ah_text_starts(p, "getelementptr ") ||
           ah_text_starts(p, "addrspacecast ");
}

/* Reads "TYPE ATTRIBUTES VALUE, " at p; what follows, or NULL where it says something else. */
static const char *read_pointer(const char *p, struct pointer *out)
{
    static const char align[] = "align ";
    if (!ah_text_starts(p, "ptr "))
        return NULL;
    out->type = p;
    p += strlen("ptr");
    if (ah_text_starts(p, " addrspace("))
        p = end_of_word(p + 1);
    out->type_length = (int)(p - out->type);
    out->alignment = 1;
    for (; *p == ' ' && !is_value(p + 1); p = end_of_word(p)) {
        p++;
        if (ah_text_starts(p, align)) {
            p += strlen(align);
            out->alignment = strtoul(p, NULL, 10);
        }
    }
    if (*p != ' ')
        return NULL;
    out->value = ++p;
    while (*(p = end_of_word(p)) == ' ')
        p++;
    out->value_length = (int)(p - out->value);
    return ah_text_after(p, ", ");
}

/* Reads the operands of a call, which begin at p. */
static bool read_operands(const char *p, struct copy *out)
{
    char *end;
    p = read_pointer(p, &out->to);
    p = p ? read_pointer(p, &out->from) : NULL;
    if (!p || (!ah_text_starts(p, "i64 ") && !ah_text_starts(p, "i32 ")))
        return false;
    out->size = strtoul(p + strlen("i64 "), &end, 10);
    return ah_text_starts(end, ", i1 false)"); /* not volatile */
}

/* The bytes of the access at an offset: as many as alignment and size allow. */
static size_t access_size(const struct copy *copy, size_t offset)
{
    size_t size = WIDEST;
    while (copy->to.alignment < size || copy->from.alignment < size || copy->size - offset < size)
        size /= 2;
    return size;
}

static bool can_be_changed(const struct copy *copy)
{
    size_t count = 0;
    if (!copy->size || copy->size > LONGEST || copy->size % NARROWEST ||
        copy->to.alignment < NARROWEST || copy->from.alignment < NARROWEST)
        return false;
    for (size_t i = 0; i < copy->size; i += access_size(copy, i))
        count++;
    return count <= MOST;
}

/* The next copy at or after p, which is in module, that can be changed. */
static bool find_copy(const char *module, const char *p, struct copy *out)
{
    while ((p = strstr(p, "call void @llvm.memcpy.p"))) {
        const char *operands = p + strcspn(p, "(\n");
        out->begin = p;
        while (out->begin > module && out->begin[-1] != '\n')
            out->begin--;
        p += strcspn(p, "\n");
        p += *p == '\n';
        out->end = p;
        if (*operands == '(' && read_operands(operands + 1, out) && can_be_changed(out))
            return true;
    }
    return false;
}

/* ---- writing ------------------------------------------------------------- */

/* "TYPE VALUE" for the piece at an offset, whose address is computed in a line of its own. */
static const char *address(FILE *out, const struct pointer *pointer, size_t number,
                           const char *side, size_t offset)
{
    const char *whole = ah_text_print("%.*s %.*s", pointer->type_length, pointer->type,
                                      pointer->value_length, pointer->value);
    if (!offset)
        return whole;
    const char *name = ah_text_print("%%.copy%zu.%s%zu", number, side, offset);
    fprintf(out, "  %s = getelementptr inbounds i8, %s, i64 %zu\n", name, whole, offset);
    return ah_text_print("%.*s %s", pointer->type_length, pointer->type, name);
}

static const char *access_type(size_t size)
{
    return size == WIDEST ? "<2 x i64>" : size == WIDEST / 2 ? "i64" : "i32";
}

/* All loads come before the stores: in PTX nothing says that a load need not wait for a store. */
static void write_accesses(FILE *out, const struct copy *copy, size_t number)
{
    for (size_t i = 0, size; i < copy->size; i += size) {
        size = access_size(copy, i);
        const char *from = address(out, &copy->from, number, "from", i);
        fprintf(out, "  %%.copy%zu.%zu = load %s, %s, align %zu\n", number, i, access_type(size),
                from, size);
    }
    for (size_t i = 0, size; i < copy->size; i += size) {
        size = access_size(copy, i);
        const char *to = address(out, &copy->to, number, "to", i);
        fprintf(out, "  store %s %%.copy%zu.%zu, %s, align %zu\n", access_type(size), number, i, to,
                size);
    }
}

const char *ah_copies_widen(const char *module)
{
    struct copy copy;
    char *text = NULL;
    size_t size, number = 0;
    const char *rest = module;
    if (!find_copy(module, module, &copy))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (; find_copy(module, rest, &copy); rest = copy.end) {
        fwrite(rest, 1, (size_t)(copy.begin - rest), out);
        write_accesses(out, &copy, number++);
    }
    fputs(rest, out);
    const char *changed = fclose(out) == 0 ? ah_text_copy(text, size) : NULL;
    free(text);
    return changed;
}
