/* Links PTX texts to one text, as NVIDIA's linker links their machine code: what one declares as
 * .extern and another defines becomes one symbol, of several .weak definitions one stays, and
 * private names that several texts have are made different. Line numbers for debuggers are left
 * out, since files are numbered in each text for itself. */
#include "ptx.h"
#include "ptx_lex.h"
#include "ptx_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum linkage { PRIVATE, VISIBLE, WEAK, COMMON, EXTERN };

/* A directive of the module that declares or defines a symbol. */
struct declaration {
    const char *name;
    size_t length;
    enum linkage linkage;
    bool defines, entry;
    bool function;
    const char *begin; /* the linkage */
    const char *rest;  /* after the linkage */
    const char *body;  /* '{' of a function, '=' of a variable; where `end` is, if there is none */
    const char *end;   /* after the declaration */
    bool dropped;      /* another definition is taken */
    bool renamed;
};

struct input {
    const char *text, *end;
    const char *first; /* after .version, .target and .address_size */
    unsigned version, sm;
    const char *target; /* the whole directive */
    size_t target_length;
    struct declaration *at; /* in the order of the text */
    size_t count;
    bool any_renamed;
};

struct linker {
    struct input *inputs;
    size_t count;
    struct ptx_log *log;
    FILE *out;
};

/* ---- what a text declares ------------------------------------------------------------- */

struct scanner {
    struct ptx_lexer lexer;
    struct ptx_token token;
    const char *previous_end;
};

static const char *token_begin(const struct ptx_token *token)
{
    return token->kind == PTX_TOKEN_DOT ? token->text - 1 : token->text;
}

static void next(struct scanner *scanner)
{
    scanner->previous_end = scanner->lexer.at;
    ptx_lex_next(&scanner->lexer, &scanner->token);
}

static bool is(const struct scanner *scanner, int op)
{
    return scanner->token.kind == PTX_TOKEN_OTHER && scanner->token.op == op;
}

static bool ends(const struct scanner *scanner)
{
    return scanner->token.kind == PTX_TOKEN_END || scanner->token.kind == PTX_TOKEN_ERROR;
}

static bool is_word(const struct ptx_token *token, const char *word)
{
    return token->kind == PTX_TOKEN_DOT && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

/* Past the bracket that closes the current one. */
static void skip_group(struct scanner *scanner, int open, int close)
{
    unsigned depth = 0;
    do {
        depth += is(scanner, open);
        depth -= is(scanner, close);
        next(scanner);
    } while (depth > 0 && !ends(scanner));
}

static void skip_line(struct scanner *scanner)
{
    struct ptx_lexer *lexer = &scanner->lexer;
    while (lexer->at < lexer->end && *lexer->at && *lexer->at != '\n')
        lexer->at++;
    next(scanner);
}

static enum linkage read_linkage(struct scanner *scanner)
{
    static const char *const words[] = {
        [VISIBLE] = "visible", [WEAK] = "weak", [COMMON] = "common", [EXTERN] = "extern"};
    for (enum linkage i = VISIBLE; i <= EXTERN; i++) {
        if (is_word(&scanner->token, words[i])) {
            next(scanner);
            return i;
        }
    }
    return PRIVATE;
}

/* From the word after .entry or .func. */
static void scan_function(struct scanner *scanner, struct declaration *d)
{
    d->function = true;
    while (scanner->token.kind != PTX_TOKEN_NAME && !ends(scanner)) {
        if (is(scanner, '('))
            skip_group(scanner, '(', ')');
        else
            next(scanner);
    }
    d->name = scanner->token.text;
    d->length = scanner->token.length;
    while (!is(scanner, '{') && !is(scanner, ';') && !ends(scanner)) {
        if (is(scanner, '('))
            skip_group(scanner, '(', ')');
        else
            next(scanner);
    }
    d->defines = is(scanner, '{');
    d->body = token_begin(&scanner->token);
    if (d->defines)
        skip_group(scanner, '{', '}');
    else
        next(scanner);
}

static void scan_variable(struct scanner *scanner, struct declaration *d)
{
    d->defines = d->linkage != EXTERN;
    while (!is(scanner, ';') && !ends(scanner)) {
        if (scanner->token.kind == PTX_TOKEN_NAME && !d->name) {
            d->name = scanner->token.text;
            d->length = scanner->token.length;
        }
        if (is(scanner, '=') && !d->body)
            d->body = token_begin(&scanner->token);
        if (is(scanner, '('))
            skip_group(scanner, '(', ')');
        else
            next(scanner);
    }
    if (!d->body)
        d->body = token_begin(&scanner->token);
    next(scanner);
}

static bool add_declaration(struct input *input, const struct declaration *d)
{
    if (!d->name)
        return true;
    struct declaration *at = reallocarray(input->at, input->count + 1, sizeof *at);
    if (!at)
        return false;
    input->at = at;
    at[input->count++] = *d;
    return true;
}

static bool scan_declaration(struct scanner *scanner, struct input *input)
{
    struct declaration d = {.begin = token_begin(&scanner->token)};
    d.linkage = read_linkage(scanner);
    d.rest = token_begin(&scanner->token);
    d.entry = is_word(&scanner->token, "entry");
    if (d.entry || is_word(&scanner->token, "func")) {
        next(scanner);
        scan_function(scanner, &d);
    } else {
        scan_variable(scanner, &d);
    }
    d.end = scanner->previous_end;
    return add_declaration(input, &d);
}

/* Directives that every text has once, and those that declare nothing. False: it is another one. */
static bool scan_header(struct scanner *scanner, struct input *input)
{
    const char *begin = token_begin(&scanner->token);
    unsigned major = 0, minor = 0;
    if (is_word(&scanner->token, "version")) {
        next(scanner);
        if (sscanf(scanner->token.text, "%u.%u", &major, &minor) == 2)
            input->version = major * 10 + minor;
        next(scanner);
    } else if (is_word(&scanner->token, "target")) {
        next(scanner);
        sscanf(scanner->token.text, "sm_%u", &input->sm);
        input->target = begin;
        while (scanner->token.kind != PTX_TOKEN_DOT && !ends(scanner))
            next(scanner);
        input->target_length = (size_t)(scanner->previous_end - begin);
    } else if (is_word(&scanner->token, "address_size")) {
        next(scanner);
        next(scanner);
    } else {
        return false;
    }
    input->first = scanner->previous_end;
    return true;
}

/* False: no memory. */
static bool scan(struct input *input)
{
    struct scanner scanner;
    bool good = true;
    ptx_lex_init(&scanner.lexer, input->text, (size_t)(input->end - input->text));
    scanner.previous_end = input->text;
    next(&scanner);
    while (good && !ends(&scanner)) {
        if (scan_header(&scanner, input))
            continue;
        if (is_word(&scanner.token, "file") || is_word(&scanner.token, "loc")) {
            skip_line(&scanner);
        } else if (is_word(&scanner.token, "section")) {
            while (!is(&scanner, '{') && !ends(&scanner))
                next(&scanner);
            skip_group(&scanner, '{', '}');
        } else if (is_word(&scanner.token, "pragma") || is_word(&scanner.token, "alias")) {
            while (!is(&scanner, ';') && !ends(&scanner))
                next(&scanner);
            next(&scanner);
        } else {
            good = scan_declaration(&scanner, input);
        }
    }
    return good;
}

/* ---- which definition is taken ---------------------------------------------------------- */

static bool same_name(const struct declaration *a, const struct declaration *b)
{
    return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

static bool is_global(const struct declaration *d)
{
    return d->linkage != PRIVATE || d->entry;
}

/* Decides between two definitions of one name in different texts, the first of which comes first.
 * False: there may not be two. */
static bool decide(struct linker *linker, struct declaration *first, struct declaration *second)
{
    if (first->linkage == COMMON && second->linkage == COMMON)
        return true;
    if (second->linkage == WEAK || second->linkage == COMMON)
        second->dropped = true;
    else if (first->linkage == WEAK || first->linkage == COMMON)
        first->dropped = true;
    if (first->dropped || second->dropped)
        return true;
    ptx_log_error(linker->log, 0, "Multiple definition of '%.*s'", (int)first->length, first->name);
    return false;
}

static void rename_in(struct input *input, struct declaration *d)
{
    d->renamed = true;
    input->any_renamed = true;
}

static bool compare(struct linker *linker, struct input *first, struct input *second, size_t i,
                    size_t k)
{
    struct declaration *a = &first->at[i], *b = &second->at[k];
    if (!same_name(a, b))
        return true;
    if (is_global(a) && is_global(b))
        return !a->defines || !b->defines || a->dropped || b->dropped || decide(linker, a, b);
    if (!is_global(b))
        rename_in(second, b);
    else
        rename_in(first, a);
    return true;
}

static bool resolve(struct linker *linker)
{
    bool good = true;
    for (size_t i = 0; i < linker->count; i++) {
        for (size_t k = i + 1; k < linker->count; k++) {
            struct input *first = &linker->inputs[i], *second = &linker->inputs[k];
            for (size_t a = 0; a < first->count; a++)
                for (size_t b = 0; b < second->count; b++)
                    good &= compare(linker, first, second, a, b);
        }
    }
    return good;
}

/* ---- the text --------------------------------------------------------------------------- */

/* The declaration that begins there. *index: of the first one that does not lie before it. */
static const struct declaration *declaration_at(const struct input *input, const char *at,
                                                size_t *index)
{
    while (*index < input->count && input->at[*index].begin < at)
        ++*index;
    return *index < input->count && input->at[*index].begin == at ? &input->at[*index] : NULL;
}

static bool is_renamed(const struct input *input, const struct ptx_token *token)
{
    for (size_t i = 0; i < input->count && input->any_renamed; i++)
        if (input->at[i].renamed && input->at[i].length == token->length &&
            memcmp(input->at[i].name, token->text, token->length) == 0)
            return true;
    return false;
}

/* What is left of a definition that is not taken. */
static void write_dropped(struct linker *linker, const struct declaration *d)
{
    if (!d->entry) /* nothing refers to it but launches */
        fprintf(linker->out, ".extern %.*s;\n", (int)(d->body - d->rest), d->rest);
}

static void write_input(struct linker *linker, const struct input *input, size_t number)
{
    struct scanner scanner;
    const struct declaration *d;
    const char *copied = input->first;
    size_t index = 0;
    ptx_lex_init(&scanner.lexer, copied, (size_t)(input->end - copied));
    next(&scanner);
    while (!ends(&scanner)) {
        const struct ptx_token *token = &scanner.token;
        const char *begin = token_begin(token), *end = NULL;
        if (token->kind == PTX_TOKEN_DOT && (d = declaration_at(input, begin, &index)) &&
            d->dropped) {
            end = d->end;
        } else if (is_word(token, "file") || is_word(token, "loc")) {
            end = memchr(begin, '\n', (size_t)(input->end - begin));
            end = end ? end : input->end;
            d = NULL;
        } else if (token->kind == PTX_TOKEN_NAME && is_renamed(input, token)) {
            fprintf(linker->out, "%.*s$%zu", (int)(token->text + token->length - copied), copied,
                    number);
            copied = token->text + token->length;
        }
        if (end) {
            fwrite(copied, 1, (size_t)(begin - copied), linker->out);
            if (d)
                write_dropped(linker, d);
            copied = scanner.lexer.at = end;
        }
        next(&scanner);
    }
    fprintf(linker->out, "%.*s\n", (int)(input->end - copied), copied);
}

static void write_header(struct linker *linker)
{
    const struct input *newest = linker->inputs;
    unsigned version = 0;
    for (size_t i = 0; i < linker->count; i++) {
        const struct input *input = &linker->inputs[i];
        version = input->version > version ? input->version : version;
        newest = input->sm > newest->sm ? input : newest;
    }
    fprintf(linker->out, ".version %u.%u\n%.*s\n.address_size 64\n", version / 10, version % 10,
            (int)newest->target_length, newest->target);
}

static enum ptx_result link_inputs(struct linker *linker, char **out_text)
{
    size_t size;
    for (size_t i = 0; i < linker->count; i++)
        if (!scan(&linker->inputs[i]))
            return PTX_NO_MEMORY;
    if (!resolve(linker))
        return PTX_INVALID;
    linker->out = open_memstream(out_text, &size);
    if (!linker->out)
        return PTX_NO_MEMORY;
    write_header(linker);
    for (size_t i = 0; i < linker->count; i++)
        write_input(linker, &linker->inputs[i], i);
    bool good = !ferror(linker->out);
    good = fclose(linker->out) == 0 && good;
    if (!good) {
        free(*out_text);
        *out_text = NULL;
    }
    return good ? PTX_OK : PTX_NO_MEMORY;
}

enum ptx_result ptx_link(const char *const *texts, size_t count, struct ptx_log *log,
                         char **out_text)
{
    struct linker linker = {.count = count, .log = log};
    *out_text = NULL;
    linker.inputs = calloc(count + 1, sizeof *linker.inputs);
    if (!linker.inputs)
        return PTX_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        linker.inputs[i] =
            (struct input){.text = texts[i], .first = texts[i], .end = texts[i] + strlen(texts[i])};
    enum ptx_result result = link_inputs(&linker, out_text);
    for (size_t i = 0; i < count; i++)
        free(linker.inputs[i].at);
    free(linker.inputs);
    return result;
}
