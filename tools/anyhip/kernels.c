/* Distinguishes kernels from other symbols: AMDGPU's have descriptors "<name>.kd", NVIDIA's machine
 * code marks functions as entries, PTX says .entry. */
#include "kernels.h"
#include "elffile.h"

#include <ctype.h>
#include <string.h>

enum { AMDGPU_KERNEL_TYPE = 10 /* of code objects of version 2 */, CUDA_ENTRY = 0x10 };

struct visitor {
    void (*visit)(void *data, const char *name, size_t length);
    void *data;
};

static void visit_amdgpu(const struct ah_elf_symbol *symbol, const struct visitor *visitor)
{
    static const char suffix[] = ".kd";
    size_t length = strlen(symbol->name), extra = sizeof suffix - 1;
    if (symbol->type == AMDGPU_KERNEL_TYPE)
        visitor->visit(visitor->data, symbol->name, length);
    else if (length > extra && strcmp(symbol->name + length - extra, suffix) == 0)
        visitor->visit(visitor->data, symbol->name, length - extra);
}

static void visit_cuda(const struct ah_elf_symbol *symbol, const struct visitor *visitor)
{
    if (symbol->type == STT_FUNC && symbol->other & CUDA_ENTRY)
        visitor->visit(visitor->data, symbol->name, strlen(symbol->name));
}

static void visit_table(const struct ah_elf *elf, const struct ah_elf_section *table, bool amdgpu,
                        const struct visitor *visitor)
{
    struct ah_elf_symbol symbol;
    for (uint64_t i = 0; ah_elf_symbol(elf, table, i, &symbol); i++) {
        if (!symbol.defined)
            continue;
        if (amdgpu)
            visit_amdgpu(&symbol, visitor);
        else
            visit_cuda(&symbol, visitor);
    }
}

/* The full table where there is one; the dynamic one outlives stripping. */
static void visit_elf(const struct ah_image *image, const struct visitor *visitor)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct ah_elf elf;
    struct ah_elf_section section;
    if (!ah_elf_open(&elf, image->data, image->size))
        return;
    for (int t = 0; t < 2; t++) {
        for (uint64_t i = 0; i < elf.section_count; i++) {
            if (!ah_elf_section(&elf, i, &section) || section.type != types[t])
                continue;
            visit_table(&elf, &section, image->kind == AH_IMAGE_AMDGPU, visitor);
            return;
        }
    }
}

/* ---- PTX ---------------------------------------------------------------- */

static const char *skip_line(const char *at, const char *end)
{
    while (at < end && *at != '\n')
        at++;
    return at;
}

static const char *skip_comment(const char *at, const char *end)
{
    for (at += 2; at < end; at++)
        if (end - at >= 2 && at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && end - at >= 2)
            at++;
    return at < end ? at + 1 : end;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$%.", c));
}

/* The end of the piece of text that starts at at: a name, a comment, a string, or one character. */
static const char *next_piece(const char *at, const char *end)
{
    if (end - at >= 2 && at[0] == '/' && at[1] == '/')
        return skip_line(at, end);
    if (end - at >= 2 && at[0] == '/' && at[1] == '*')
        return skip_comment(at, end);
    if (*at == '"')
        return skip_string(at, end);
    const char *start = at;
    while (at < end && is_name(*at))
        at++;
    return at > start ? at : start + 1;
}

static void visit_ptx(const struct ah_image *image, const struct visitor *visitor)
{
    static const char word[] = ".entry";
    const char *at = (const char *)image->data, *end = at + image->size;
    bool expected = false;
    while (at < end) {
        const char *next = next_piece(at, end);
        size_t length = (size_t)(next - at);
        if (expected && is_name(*at)) {
            visitor->visit(visitor->data, at, length);
            expected = false;
        } else if (length == sizeof word - 1 && memcmp(at, word, length) == 0) {
            expected = true;
        }
        at = next;
    }
}

void ah_kernels_each(const struct ah_image *image,
                     void (*visit)(void *data, const char *name, size_t length), void *data)
{
    struct visitor visitor = {visit, data};
    if (image->kind == AH_IMAGE_AMDGPU || image->kind == AH_IMAGE_CUBIN)
        visit_elf(image, &visitor);
    else if (image->kind == AH_IMAGE_PTX)
        visit_ptx(image, &visitor);
}
