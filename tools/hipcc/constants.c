/* Owns the move of variables from constant to global memory. It knows how LLVM prints PTX
 * declarations and, in IR, global variables and constant expressions. */
#include "constants.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A variable in constant memory. */
struct variable {
    const char *name; /* as PTX has it */
    size_t size, alignment;
    bool defined; /* in the module, in a way that can be changed */
    bool fixed;   /* some code reads it as constant memory */
    bool moved;
};

struct variables {
    struct variable *at;
    size_t count, capacity;
};

/* ---- PTX ---------------------------------------------------------------- */

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_.$-";

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* The bytes of a type (".b8", ".f64"), 0 for another word. */
static size_t type_size(const char *word)
{
    if (*word != '.' || !strchr("bufs", word[1]) || !word[1])
        return 0;
    return strtoul(word + 2, NULL, 10) / 8;
}

/* Reads one declaration, "[.visible] .const .align 4 .b8 name[80000]". */
static bool read_variable(const char *line, struct variable *out)
{
    static const char *const linkage[] = {".visible ", ".weak ", ".extern ", ".common "};
    for (size_t i = 0; i < sizeof linkage / sizeof *linkage; i++)
        if (ah_text_starts(line, linkage[i]))
            line = skip_blanks(line + strlen(linkage[i]));
    if (!ah_text_starts(line, ".const "))
        return false;
    line = skip_blanks(line + strlen(".const "));
    *out = (struct variable){.alignment = 1};
    if (ah_text_starts(line, ".align ")) {
        char *end;
        out->alignment = strtoul(line + strlen(".align "), &end, 10);
        line = skip_blanks(end);
    }
    out->size = type_size(line);
    line = skip_blanks(line + strcspn(line, " \t\n"));
    size_t length = strspn(line, name_characters);
    out->name = ah_text_copy(line, length);
    for (line += length; *line == '['; line += strcspn(line, "]") + 1)
        out->size *= strtoul(line + 1, NULL, 10);
    return out->size && out->alignment && length;
}

static void push(struct variables *list, const struct variable *variable)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct variable *at = ah_text_alloc(capacity * sizeof *at);
        if (list->count)
            memcpy(at, list->at, list->count * sizeof *at);
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = *variable;
}

static void read_variables(const char *ptx, struct variables *out)
{
    struct variable variable;
    for (const char *line = ptx; *line; line += *line == '\n') {
        if (*line == '.' && read_variable(line, &variable))
            push(out, &variable);
        line += strcspn(line, "\n");
    }
}

/* What stays, in the order of its declarations. */
static size_t bytes_of(const struct variables *variables)
{
    size_t size = 0;
    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *v = &variables->at[i];
        if (!v->moved)
            size = (size + v->alignment - 1) / v->alignment * v->alignment + v->size;
    }
    return size;
}

size_t ah_constants_size(const char *ptx)
{
    struct variables variables = {0};
    read_variables(ptx, &variables);
    return bytes_of(&variables);
}

/* ---- the uses of a variable in IR ---------------------------------------- */

static const char constant_pointer[] = "ptr addrspace(4) ";
/* The digit of the address space in it. */
enum { DIGIT = sizeof "ptr addrspace(" - 1 };

static bool precedes(const char *module, const char *p, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(p - module) >= length && !memcmp(p - length, text, length);
}

/* The pointers to constant memory that a use consists of: the variable itself, and the constant
 * getelementptr around it if there is one. */
struct use {
    const char *at[2];
    size_t count;
};

/* The start of "getelementptr inbounds (T, " whose last operand but the indices begins at p, or
 * NULL. */
static const char *getelementptr_before(const char *module, const char *p)
{
    static const char opcode[] = "getelementptr ";
    while (p > module && p[-1] != '(' && p[-1] != '\n')
        p--;
    if (p == module || p[-1] != '(')
        return NULL;
    while (p > module && p[-1] != '\n' && !ah_text_starts(p, opcode)) {
        p--;
        if (*p == ')' || *p == ',')
            return NULL;
    }
    return ah_text_starts(p, opcode) ? p : NULL;
}

/* Reads the use of a variable whose name, with its @, stands at p. False where it is not cast to a
 * generic pointer. */
static bool read_use(const char *module, const char *p, struct use *out)
{
    static const char cast[] = "addrspacecast (";
    const size_t length = strlen(constant_pointer);
    out->count = 0;
    if (!precedes(module, p, constant_pointer))
        return false;
    p -= length;
    out->at[out->count++] = p;
    if (precedes(module, p, cast))
        return true;
    p = getelementptr_before(module, p);
    if (!p || !precedes(module, p, constant_pointer))
        return false;
    p -= length;
    out->at[out->count++] = p;
    return precedes(module, p, cast);
}

/* ---- the names of a module ------------------------------------------------ */

/* LLVM spells a dot of a local name so in PTX, and ptx_names.h that of any other. */
static const char *in_ptx(const char *name)
{
    return ah_text_replace(name, ".", "_$_");
}

static struct variable *variable_of(const struct variables *variables, const char *name)
{
    const char *spelled = in_ptx(name);
    for (size_t i = 0; i < variables->count; i++)
        if (!strcmp(variables->at[i].name, name) || !strcmp(variables->at[i].name, spelled))
            return &variables->at[i];
    return NULL;
}

/* The next @name at or after p, NULL at the end; text in quotes is passed over. */
static const char *next_name(const char *p, size_t *out_length)
{
    for (; *p; p++) {
        if (*p == '"') {
            p += 1 + strcspn(p + 1, "\"");
            if (!*p)
                return NULL;
        } else if (*p == '@' && (*out_length = strspn(p + 1, name_characters)) > 0) {
            return p;
        }
    }
    return NULL;
}

/* The address space in the definition at p, "@name = ... addrspace(4) ... constant T", or NULL. */
static const char *space_of_definition(const char *p)
{
    const char *end = p + strcspn(p, "\n"), *space = strstr(p, " addrspace(4) ");
    return space && space < end ? space + strlen(" addrspace(") : NULL;
}

/* A name of the module that is a variable's: digits are the places where it says 4 for constant
 * memory, none where it cannot say anything else. */
typedef void visitor(struct variable *variable, bool definition, const char *const *digits,
                     size_t count, void *context);

static void visit_names(const char *module, const struct variables *variables, visitor *visit,
                        void *context)
{
    size_t length;
    for (const char *p = module; (p = next_name(p, &length)); p += 1 + length) {
        struct variable *variable = variable_of(variables, ah_text_copy(p + 1, length));
        bool definition = p == module || p[-1] == '\n';
        const char *digits[2];
        struct use use;
        size_t count = 0;
        if (!variable)
            continue;
        if (definition) {
            digits[0] = space_of_definition(p);
            count = digits[0] != NULL;
        } else if (read_use(module, p, &use)) {
            for (; count < use.count; count++)
                digits[count] = use.at[count] + DIGIT;
        }
        visit(variable, definition, digits, count, context);
    }
}

static void note(struct variable *variable, bool definition, const char *const *digits,
                 size_t count, void *context)
{
    (void)digits;
    (void)context;
    variable->defined = variable->defined || (definition && count > 0);
    variable->fixed = variable->fixed || count == 0;
}

struct edit {
    const char *module;
    char *text; /* the copy that is changed */
};

static void say_global(struct variable *variable, bool definition, const char *const *digits,
                       size_t count, void *context)
{
    const struct edit *edit = context;
    (void)definition;
    for (size_t i = 0; variable->moved && i < count; i++)
        edit->text[digits[i] - edit->module] = '1';
}

/* ---- the choice ----------------------------------------------------------- */

static struct variable *largest(const struct variables *variables)
{
    struct variable *best = NULL;
    for (size_t i = 0; i < variables->count; i++) {
        struct variable *v = &variables->at[i];
        if (v->defined && !v->fixed && !v->moved && (!best || v->size > best->size))
            best = v;
    }
    return best;
}

const char *ah_constants_move(const char *module, const char *ptx, struct ah_strings *out_moved)
{
    struct variables variables = {0};
    struct variable *next;
    read_variables(ptx, &variables);
    visit_names(module, &variables, note, NULL);
    while (bytes_of(&variables) > AH_CONSTANTS_MAX && (next = largest(&variables))) {
        next->moved = true;
        ah_strings_push(out_moved, next->name);
    }
    if (bytes_of(&variables) > AH_CONSTANTS_MAX)
        return NULL;
    struct edit edit = {module, ah_text_copy(module, strlen(module))};
    visit_names(module, &variables, say_global, &edit);
    return edit.text;
}
