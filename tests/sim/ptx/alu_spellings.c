/* Lists every spelling of the arithmetic rows: one line of the row's number, the spelling, an
 * immediate ("-": none), PTX version, target and operands. alu_golden.c, alu_direct.c and
 * alu_compare.c read this list. */
#include <stdio.h>
#include <string.h>

struct row {
    const char *opcode, *pattern, *operands;
    unsigned version, target;
};

static const struct row rows[] = {
#define ALU(id, opcode, pattern, operands, version, target, ...)                                   \
    {opcode, pattern, operands, version, target},
#include "ptx_alu.def"
#undef ALU
};

static const char *const immediates[] = {"0x96", "0xe8", "0x1b"};

static unsigned hash(const char *text)
{
    unsigned h = 2166136261u;
    for (; *text; ++text)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h ^ h >> 15;
}

/* Of the many combined comparisons and video instructions, which are similar, only a part is
 * listed. */
static int is_listed(const struct row *row, const char *text, int combined)
{
    if (strcmp(row->opcode, "set") == 0)
        return hash(text) % (combined ? 12 : 4) == 0;
    if (strcmp(row->opcode, "setp") == 0)
        return !combined || hash(text) % 12 == 0;
    if (row->opcode[0] == 'v')
        return hash(text) % 4 == 0;
    return 1;
}

static void list(unsigned number, const char *text)
{
    const struct row *row = &rows[number];
    int combined = strstr(text, ".and") || strstr(text, ".or") || strstr(text, ".xor");
    char operands[96];
    strcpy(operands, row->operands);
    char *optional = strstr(operands, " pred?");
    if (optional)
        strcpy(optional, combined ? " pred" : "");
    if (!is_listed(row, text, combined && optional))
        return;
    unsigned count = strchr(operands, '#') ? 3 : 1;
    for (unsigned i = 0; i < count; ++i)
        printf("%u\t%s%s\t%s\t%u\t%u\t%s\n", number, row->opcode, text,
               count == 1 ? "-" : immediates[i], row->version, row->target, operands);
}

/* Takes one alternative of each group of pattern in turn. */
static void expand(unsigned number, const char *pattern, char *text, size_t length)
{
    while (*pattern && *pattern != '(' && *pattern != '{')
        text[length++] = *pattern++;
    text[length] = 0;
    if (!*pattern) {
        list(number, text);
        return;
    }
    const char *end = strchr(pattern, *pattern == '(' ? ')' : '}');
    if (*pattern == '{')
        expand(number, end + 1, text, length);
    for (const char *at = pattern; at != end;) {
        size_t size = strcspn(at + 1, "|)}");
        memcpy(text + length, at + 1, size);
        expand(number, end + 1, text, length + size);
        at += 1 + size;
    }
}

int main(void)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[160];
        expand(i, rows[i].pattern, text, 0);
    }
    return 0;
}
