/* Owns the small PTX lexer behind the correction of symbol names. It knows tokens
 * and where declarations put their names, nothing of instructions. */
#include "ptx_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DOT "_$_"
enum { DOT_LENGTH = 3 };

/* Tokens: a word is a run of name characters, dots included, so that an opcode
 * (`ld.global.u32`), a directive (`.visible`) and a name are each one word. */

enum kind { WORD, PUNCTUATION, END };

struct token {
    enum kind kind;
    const char *start;
    size_t length;
};

struct lexer {
    const char *at, *end;
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static bool starts_name(char c)
{
    return is_word(c) && c != '.' && c != '%' && !(c >= '0' && c <= '9');
}

/* The position after a comment or string literal that starts at p, or p. */
static const char *skip_opaque(const char *p, const char *end)
{
    if (*p == '"') {
        for (p++; p < end && *p != '"'; p++)
            if (*p == '\\' && p + 1 < end)
                p++;
        return p < end ? p + 1 : end;
    }
    if (*p != '/' || p + 1 >= end)
        return p;
    if (p[1] == '/') {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        return eol ? eol : end;
    }
    if (p[1] == '*') {
        for (p += 2; p + 1 < end; p++)
            if (p[0] == '*' && p[1] == '/')
                return p + 2;
        return end;
    }
    return p;
}

static struct token next(struct lexer *lexer)
{
    const char *p = lexer->at;
    for (; p < lexer->end; p++) {
        const char *after = skip_opaque(p, lexer->end);
        if (after != p) {
            p = after - 1;
            continue;
        }
        if (is_word(*p) || (*p > ' ' && *p != 127))
            break;
    }
    struct token token = {END, p, 0};
    if (p < lexer->end) {
        token.kind = is_word(*p) ? WORD : PUNCTUATION;
        const char *q = p + 1;
        while (token.kind == WORD && q < lexer->end && is_word(*q))
            q++;
        token.length = (size_t)(q - p);
    }
    lexer->at = token.start + token.length;
    return token;
}

static bool is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->start, text, token->length);
}

static bool has_dot(const char *name, size_t length)
{
    return memchr(name, '.', length) != NULL;
}

/* Declarations: which of a stream of tokens are the names being declared. */

struct declarations {
    long depth;      /* of brackets */
    long head_depth; /* where `.func` or `.entry` stood */
    long list_depth; /* of the variables separated by commas */
    bool want_head, want_variable, in_list, parameter;
};

static bool opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == ')' || c == ']' || c == '}';
}

static void see_punctuation(struct declarations *d, char c)
{
    if (opens(c)) {
        d->depth++;
    } else if (closes(c)) {
        d->depth--;
        d->in_list = d->in_list && d->depth >= d->list_depth;
    } else if (c == ';') {
        d->want_head = d->want_variable = d->in_list = false;
    } else if (c == ',' && d->in_list && d->depth == d->list_depth) {
        d->want_variable = true;
    }
}

static void see_directive(struct declarations *d, const struct token *t)
{
    static const char *const spaces[] = {".global", ".const",  ".shared",  ".local",
                                         ".param",  ".texref", ".surfref", ".samplerref"};
    if (is(t, ".func") || is(t, ".entry")) {
        d->want_head = true;
        d->head_depth = d->depth;
        return;
    }
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
        if (is(t, spaces[i])) {
            d->want_variable = true;
            d->parameter = is(t, ".param");
            d->in_list = false;
        }
    }
}

/* Whether token is a name being declared; *d follows the stream. */
static bool declares(struct declarations *d, const struct token *t)
{
    if (t->kind == PUNCTUATION) {
        see_punctuation(d, *t->start);
        return false;
    }
    if (*t->start == '.') {
        see_directive(d, t);
        return false;
    }
    if (!starts_name(*t->start))
        return false;
    if (d->want_variable) {
        d->want_variable = false;
        d->in_list = !d->parameter;
        d->list_depth = d->depth;
        return true;
    }
    if (d->want_head && d->depth == d->head_depth) {
        d->want_head = false;
        return true;
    }
    return false;
}

/* The names to correct, found by their corrected spelling, so that one look-up distinguishes a use
 * of the name from another name that would become equal to it. */

struct names {
    struct token *slots; /* length 0: free */
    size_t capacity, count;
    bool references; /* `.texref`s become memory */
};

static uint64_t hash_byte(uint64_t h, char c)
{
    return (h ^ (unsigned char)c) * 0x100000001b3u;
}

static uint64_t hash_corrected(const char *name, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) {
        if (name[i] != '.') {
            h = hash_byte(h, name[i]);
            continue;
        }
        for (size_t k = 0; k < DOT_LENGTH; k++)
            h = hash_byte(h, DOT[k]);
    }
    return h ^ (h >> 29);
}

static size_t correct(const char *name, size_t length, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '.') {
            if (out)
                memcpy(out + n, DOT, DOT_LENGTH);
            n += DOT_LENGTH;
        } else {
            if (out)
                out[n] = name[i];
            n++;
        }
    }
    return n;
}

/* A cursor over the corrected spelling, one character at a time. */
struct spelled {
    const char *name;
    size_t length, at, in_dot;
};

static int next_spelled(struct spelled *s)
{
    if (s->at == s->length)
        return -1;
    if (s->name[s->at] != '.')
        return (unsigned char)s->name[s->at++];
    int c = DOT[s->in_dot++];
    if (s->in_dot == DOT_LENGTH) {
        s->in_dot = 0;
        s->at++;
    }
    return c;
}

static bool same_corrected(const struct token *a, const struct token *b)
{
    struct spelled x = {a->start, a->length, 0, 0}, y = {b->start, b->length, 0, 0};
    for (;;) {
        int c = next_spelled(&x);
        if (c != next_spelled(&y))
            return false;
        if (c < 0)
            return true;
    }
}

/* The slot of name, or the free slot where it belongs. */
static struct token *find_slot(const struct names *names, const struct token *name)
{
    size_t mask = names->capacity - 1;
    size_t i = (size_t)hash_corrected(name->start, name->length) & mask;
    while (names->slots[i].length && !same_corrected(&names->slots[i], name))
        i = (i + 1) & mask;
    return &names->slots[i];
}

static bool grow(struct names *names)
{
    struct names bigger = *names;
    bigger.capacity = names->capacity ? names->capacity * 2 : 16;
    bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i].length)
            *find_slot(&bigger, &names->slots[i]) = names->slots[i];
    free(names->slots);
    *names = bigger;
    return true;
}

static bool same(const struct token *a, const struct token *b)
{
    return a->length == b->length && !memcmp(a->start, b->start, a->length);
}

static enum ah_ptx_fix add(struct names *names, const struct token *name)
{
    if (names->count * 2 >= names->capacity && !grow(names))
        return AH_PTX_FIX_NO_MEMORY;
    struct token *slot = find_slot(names, name);
    if (slot->length)
        return same(slot, name) ? AH_PTX_FIX_CHANGED : AH_PTX_FIX_CLASH;
    *slot = *name;
    names->count++;
    return AH_PTX_FIX_CHANGED;
}

/* Whether code loads the object of a texture reference, as HIP's does, from `[name+72]`. */
static bool loads_object(const char *text, size_t size, const struct token *name)
{
    static const char offset[] = "+72]";
    const char *end = text + size, *at = text;
    while ((at = memmem(at, (size_t)(end - at), offset, sizeof offset - 1)) != NULL) {
        if ((size_t)(at - text) > name->length && at[-1 - (ptrdiff_t)name->length] == '[' &&
            !memcmp(at - name->length, name->start, name->length))
            return true;
        at += sizeof offset - 1;
    }
    return false;
}

/* Whether name stands anywhere but in its declaration. */
static bool stands_elsewhere(const char *text, size_t size, const struct token *name)
{
    struct lexer lexer = {text, text + size};
    for (struct token t = next(&lexer); t.kind != END; t = next(&lexer))
        if (t.start != name->start && same(&t, name))
            return true;
    return false;
}

/* Gathers the declared names that need correction. */
static enum ah_ptx_fix collect(const char *text, size_t size, struct names *names)
{
    struct lexer lexer = {text, text + size};
    struct declarations d = {0};
    enum ah_ptx_fix result = AH_PTX_FIX_CHANGED;
    bool reference = false, used = false; /* used: by an instruction for textures, as it seems */
    unsigned searches = 0;
    for (struct token t = next(&lexer); t.kind != END; t = next(&lexer)) {
        if (*t.start == '.')
            reference = is(&t, ".texref");
        if (!declares(&d, &t))
            continue;
        if (reference && !names->references && ++searches <= 1000) {
            names->references = loads_object(text, size, &t);
            used = used || names->references || stands_elsewhere(text, size, &t);
        }
        if (has_dot(t.start, t.length) && result == AH_PTX_FIX_CHANGED)
            result = add(names, &t);
    }
    names->references = names->references || (searches > 0 && searches <= 1000 && !used);
    return names->count || names->references || result != AH_PTX_FIX_CHANGED ? result
                                                                             : AH_PTX_FIX_UNCHANGED;
}

/* Whether a declared name is already spelled as another one will be. A mere use of such a spelling
 * is not a clash: LLVM itself writes it in debug information. */
static bool clashes(const char *text, size_t size, const struct names *names)
{
    struct lexer lexer = {text, text + size};
    struct declarations d = {0};
    for (struct token t = next(&lexer); t.kind != END; t = next(&lexer)) {
        if (!declares(&d, &t) || has_dot(t.start, t.length))
            continue;
        const struct token *name = find_slot(names, &t);
        if (name->length)
            return true;
    }
    return false;
}

/* What stands for a token in the corrected text, or NULL: the token itself. *reference: between
 * `.texref` and the end of its declaration. */
static const char *replacement(const struct names *names, const struct token *t, bool *reference)
{
    if (names->references && is(t, ".texref")) {
        *reference = true;
        return ".align 8 .b8";
    }
    if (*reference && is(t, ";")) {
        *reference = false;
        return "[88];"; /* struct textureReference */
    }
    return NULL;
}

static bool to_correct(const struct names *names, const struct token *t)
{
    return names->count && t->kind == WORD && starts_name(*t->start) &&
           has_dot(t->start, t->length) && same(find_slot(names, t), t);
}

/* Writes the corrected text to out (when not NULL) and returns its size. */
static size_t rewrite(const char *text, size_t size, const struct names *names, char *out)
{
    struct lexer lexer = {text, text + size};
    const char *done = text;
    bool reference = false;
    size_t n = 0;
    for (;;) {
        struct token t = next(&lexer);
        const char *other = replacement(names, &t, &reference);
        bool found = to_correct(names, &t);
        if (!found && !other && t.kind != END)
            continue;
        size_t before = (size_t)(t.start - done), length = other ? strlen(other) : 0;
        if (out)
            memcpy(out + n, done, before);
        n += before;
        if (out && other)
            memcpy(out + n, other, length);
        n += length;
        if (t.kind == END)
            return n;
        if (found)
            n += correct(t.start, t.length, out ? out + n : NULL);
        done = t.start + t.length;
    }
}

enum ah_ptx_fix ah_ptx_fix_names(const char *text, size_t size, char **out_text, size_t *out_size)
{
    struct names names = {0};
    *out_text = NULL;
    *out_size = 0;
    enum ah_ptx_fix result = collect(text, size, &names);
    if (result == AH_PTX_FIX_CHANGED && names.count && clashes(text, size, &names))
        result = AH_PTX_FIX_CLASH;
    if (result == AH_PTX_FIX_CHANGED) {
        size_t length = rewrite(text, size, &names, NULL);
        char *out = malloc(length + 1);
        if (out) {
            rewrite(text, size, &names, out);
            out[length] = '\0';
            *out_text = out;
            *out_size = length;
        } else {
            result = AH_PTX_FIX_NO_MEMORY;
        }
    }
    free(names.slots);
    return result;
}

bool ah_ptx_fix_name(const char *name, char *out, size_t capacity)
{
    size_t length = strlen(name);
    if (!has_dot(name, length))
        return false;
    size_t need = correct(name, length, NULL);
    if (need >= capacity)
        return false;
    correct(name, length, out);
    out[need] = '\0';
    return true;
}

/* Functions that the driver's own linker defines. */
static bool driver_supplies(const struct token *name)
{
    static const char *const known[] = {"vprintf",
                                        "malloc",
                                        "free",
                                        "__assertfail",
                                        "__nv_aligned_device_malloc",
                                        "cudaGetParameterBuffer",
                                        "cudaGetParameterBufferV2",
                                        "cudaLaunchDevice",
                                        "cudaLaunchDeviceV2",
                                        "cudaDeviceSynchronize"};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (is(name, known[i]))
            return true;
    return false;
}

/* Whether some `.func` other than an `.extern` one has this name: PTX may declare first. */
static bool defined_later(const char *text, size_t size, const struct token *name)
{
    struct lexer lexer = {text, text + size};
    struct declarations d = {0};
    bool external = false, function = false;
    for (struct token t = next(&lexer); t.kind != END; t = next(&lexer)) {
        if (is(&t, ".extern"))
            external = true;
        else if (is(&t, ".func"))
            function = true;
        else if (is(&t, ";") || is(&t, "{"))
            external = function = false;
        bool head = d.want_head;
        if (declares(&d, &t) && head && !d.want_head && function && !external && same(&t, name))
            return true;
    }
    return false;
}

bool ah_ptx_find_undefined(const char *text, size_t size, const char **out_name, size_t *out_length)
{
    struct lexer lexer = {text, text + size};
    struct declarations d = {0};
    bool external = false, function = false;
    unsigned searches = 0;
    for (struct token t = next(&lexer); t.kind != END; t = next(&lexer)) {
        if (is(&t, ".extern"))
            external = true;
        else if (is(&t, ".func"))
            function = true;
        else if (is(&t, ";") || is(&t, "{"))
            external = function = false;
        bool head = d.want_head;
        if (!declares(&d, &t) || !head || d.want_head || !function || !external)
            continue;
        if (driver_supplies(&t))
            continue;
        if (++searches > 1000 || defined_later(text, size, &t))
            continue;
        *out_name = t.start;
        *out_length = t.length;
        return true;
    }
    return false;
}

/* ---- parameters of kernels ----------------------------------------------------------- */

/* The bytes of a type; 0: the word is no type. */
static size_t type_size(const struct token *word)
{
    static const struct type {
        const char *name;
        size_t size;
    } types[] = {
        {".b8", 1},    {".u8", 1},         {".s8", 1},    {".b16", 2},    {".u16", 2},
        {".s16", 2},   {".f16", 2},        {".bf16", 2},  {".b32", 4},    {".u32", 4},
        {".s32", 4},   {".f32", 4},        {".f16x2", 4}, {".bf16x2", 4}, {".b64", 8},
        {".u64", 8},   {".s64", 8},        {".f64", 8},   {".texref", 8}, {".surfref", 8},
        {".b128", 16}, {".samplerref", 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is(word, types[i].name))
            return types[i].size;
    return 0;
}

/* A decimal number below 2^24; 0: the word is none. */
static size_t number(const struct token *word)
{
    size_t value = 0;
    for (size_t i = 0; i < word->length; i++) {
        if (word->start[i] < '0' || word->start[i] > '9' || value >= (1 << 24))
            return 0;
        value = value * 10 + (size_t)(word->start[i] - '0');
    }
    return value;
}

/* Moves the lexer behind the name of a kernel in its declaration. */
static bool find_entry(struct lexer *lexer, const char *name)
{
    struct token token = next(lexer);
    while (token.kind != END) {
        bool entry = is(&token, ".entry");
        token = next(lexer);
        if (entry && is(&token, name))
            return true;
    }
    return false;
}

/* One declaration, `.param .align 8 .b8 name[24]`, to the comma or bracket after it, which is in
 * *out_end. The alignment of what a pointer points to comes after `.ptr` and is not the
 * parameter's. */
static bool read_parameter(struct lexer *lexer, struct token first, struct ah_ptx_parameter *out,
                           size_t *out_align, char *out_end)
{
    size_t element = 0, count = 1, align = 0;
    bool pointer = false;
    struct token token = first;
    for (; token.kind == WORD; token = next(lexer)) {
        if (is(&token, ".ptr"))
            pointer = true;
        if (is(&token, ".align")) {
            token = next(lexer);
            if (!pointer)
                align = number(&token);
        } else if (type_size(&token)) {
            element = type_size(&token);
        }
    }
    if (token.kind == PUNCTUATION && *token.start == '[') {
        token = next(lexer);
        count = number(&token);
        token = next(lexer); /* the bracket */
        token = next(lexer);
    }
    *out_align = align ? align : element;
    *out_end = token.kind == PUNCTUATION ? *token.start : '\0';
    out->size = element * count;
    return out->size > 0 && (*out_align & (*out_align - 1)) == 0 &&
           (*out_end == ',' || *out_end == ')');
}

static bool append(struct ah_ptx_parameter **parameters, size_t *count,
                   const struct ah_ptx_parameter *parameter)
{
    struct ah_ptx_parameter *grown = realloc(*parameters, (*count + 1) * sizeof *grown);
    if (!grown)
        return false;
    grown[(*count)++] = *parameter;
    *parameters = grown;
    return true;
}

bool ah_ptx_parameters(const char *text, size_t size, const char *name,
                       struct ah_ptx_parameter **out_parameters, size_t *out_count)
{
    struct lexer lexer = {text, text + size};
    struct ah_ptx_parameter parameter = {0, 0};
    size_t end = 0, align;
    char after = ',';
    *out_parameters = NULL;
    *out_count = 0;
    if (!find_entry(&lexer, name))
        return false;
    struct token token = next(&lexer);
    if (token.kind != PUNCTUATION || *token.start != '(')
        return true;
    token = next(&lexer);
    if (token.kind == PUNCTUATION && *token.start == ')')
        return true;
    while (after == ',' && read_parameter(&lexer, token, &parameter, &align, &after)) {
        parameter.offset = (end + align - 1) & ~(align - 1);
        end = parameter.offset + parameter.size;
        if (!append(out_parameters, out_count, &parameter))
            break;
        if (after == ')')
            return true;
        token = next(&lexer);
    }
    free(*out_parameters);
    *out_parameters = NULL;
    *out_count = 0;
    return false;
}
