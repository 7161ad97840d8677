/* Owns the parser of AMDGPU metadata: the note in the ELF file, its MessagePack, and what
 * launches need of it. Every value is checked before it is used. */
#include "hsa_metadata.h"

#include "amdgpu_abi.h"

#include <elf.h>
#include <msgpack.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { KERNARG_MAX = 1 << 20, NOTE_MAX = 64 << 20, PRINTF_ID_BASE = 16 };

/* ---- MessagePack ------------------------------------------------------------------------ */

/* The library trusts the counts of arrays and maps, and allocates memory for as many elements.
 * This describes the first byte of an object: how its length or count is stored, and what is
 * counted. */
struct shape {
    unsigned char length; /* bytes of the length or count after the first byte; 0: it is in fixed */
    unsigned char unit;   /* 0: bytes follow; otherwise the objects for each element */
    unsigned fixed;       /* the bytes, or the count, that the first byte has */
};

static struct shape shape_of(unsigned char first)
{
    static const unsigned char scalars[] = {
        4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, /* 0xca to 0xd8 */
    };
    if (first >= 0x80 && first <= 0x8f)
        return (struct shape){0, 2, first & 15u};
    if (first >= 0x90 && first <= 0x9f)
        return (struct shape){0, 1, first & 15u};
    if (first >= 0xa0 && first <= 0xbf)
        return (struct shape){0, 0, first & 31u};
    if (first >= 0xc4 && first <= 0xc6)
        return (struct shape){(unsigned char)(1 << (first - 0xc4)), 0, 0};
    if (first >= 0xc7 && first <= 0xc9)
        return (struct shape){(unsigned char)(1 << (first - 0xc7)), 0, 1};
    if (first >= 0xca && first <= 0xd8)
        return (struct shape){0, 0, scalars[first - 0xca]};
    if (first >= 0xd9 && first <= 0xdb)
        return (struct shape){(unsigned char)(1 << (first - 0xd9)), 0, 0};
    if (first == 0xdc || first == 0xdd)
        return (struct shape){first == 0xdc ? 2 : 4, 1, 0};
    if (first == 0xde || first == 0xdf)
        return (struct shape){first == 0xde ? 2 : 4, 2, 0};
    return (struct shape){0, 0, 0};
}

/* Whether there is at least one byte for each element that the counts announce. */
static bool counts_are_possible(const unsigned char *data, size_t size)
{
    uint64_t objects = 1; /* that are still expected */
    size_t at = 0;
    while (objects > 0 && at < size) {
        struct shape shape = shape_of(data[at++]);
        uint64_t count = 0;
        if (shape.length > size - at)
            return false;
        for (int i = 0; i < shape.length; i++)
            count = count << 8 | data[at++];
        count += shape.fixed;
        objects += shape.unit * count - 1;
        if (shape.unit == 0 && count > size - at)
            return false;
        if (shape.unit == 0)
            at += (size_t)count;
        if (objects > size - at)
            return false;
    }
    return objects == 0;
}

static bool is_text(const msgpack_object *object, const char *text)
{
    size_t length = strlen(text);
    return object->type == MSGPACK_OBJECT_STR && object->via.str.size == length &&
           memcmp(object->via.str.ptr, text, length) == 0;
}

/* The value of a key; NULL: map is not a map, or has no such key. */
static const msgpack_object *member(const msgpack_object *map, const char *key)
{
    if (!map || map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++)
        if (is_text(&map->via.map.ptr[i].key, key))
            return &map->via.map.ptr[i].val;
    return NULL;
}

static size_t length(const msgpack_object *array)
{
    return array && array->type == MSGPACK_OBJECT_ARRAY ? array->via.array.size : 0;
}

/* A number; fallback, if there is none or it does not fit. */
static uint32_t number(const msgpack_object *map, const char *key, uint32_t fallback)
{
    const msgpack_object *value = member(map, key);
    return value && value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 <= UINT32_MAX
               ? (uint32_t)value->via.u64
               : fallback;
}

static bool boolean(const msgpack_object *map, const char *key)
{
    const msgpack_object *value = member(map, key);
    return value && value->type == MSGPACK_OBJECT_BOOLEAN && value->via.boolean;
}

/* A copy; NULL: there is no text, or out of memory. */
static char *text(const msgpack_object *value)
{
    return value && value->type == MSGPACK_OBJECT_STR
               ? strndup(value->via.str.ptr, value->via.str.size)
               : NULL;
}

static uint32_t element(const msgpack_object *array, size_t index)
{
    if (index >= length(array))
        return 0;
    const msgpack_object *value = &array->via.array.ptr[index];
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 <= UINT32_MAX
               ? (uint32_t)value->via.u64
               : 0;
}

/* ---- kernels ---------------------------------------------------------------------------- */

static enum ahhsa_value value_kind(const msgpack_object *name)
{
    static const char *const names[] = {
#define HSA_VALUE(kind, name) name,
#include "hsa_values.def"
#undef HSA_VALUE
    };
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (is_text(name, names[i]))
            return (enum ahhsa_value)i;
    return AHHSA_VALUE_UNKNOWN;
}

static bool is_hidden_name(const msgpack_object *name)
{
    static const char prefix[] = "hidden_";
    return name && name->type == MSGPACK_OBJECT_STR && name->via.str.size >= sizeof prefix - 1 &&
           memcmp(name->via.str.ptr, prefix, sizeof prefix - 1) == 0;
}

/* An argument of an unknown kind is the caller's, unless its name marks it as hidden. */
static bool read_argument(struct ahhsa_argument *out, const msgpack_object *map, uint32_t limit)
{
    const msgpack_object *name = member(map, ".value_kind");
    *out = (struct ahhsa_argument){
        .offset = number(map, ".offset", UINT32_MAX),
        .size = number(map, ".size", UINT32_MAX),
        .value = value_kind(name),
    };
    if (out->value == AHHSA_VALUE_UNKNOWN)
        out->value = is_hidden_name(name) ? AHHSA_VALUE_NONE : AHHSA_VALUE_BY_VALUE;
    return out->offset <= limit && out->size <= limit - out->offset;
}

static bool read_arguments(struct ahhsa_kernel_metadata *kernel, const msgpack_object *list)
{
    size_t count = length(list);
    kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
    if (!kernel->arguments)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct ahhsa_argument argument;
        if (!read_argument(&argument, &list->via.array.ptr[i], kernel->kernarg_size))
            return false;
        kernel->arguments[kernel->argument_count++] = argument;
        if (ahhsa_value_is_hidden(argument.value))
            continue;
        if (++kernel->explicit_count != kernel->argument_count)
            return false; /* behind a hidden one */
    }
    return true;
}

static bool read_kernel(struct ahhsa_kernel_metadata *out, const msgpack_object *map)
{
    const msgpack_object *required = member(map, ".reqd_workgroup_size");
    *out = (struct ahhsa_kernel_metadata){
        .name = text(member(map, ".name")),
        .symbol = text(member(map, ".symbol")),
        .kernarg_size = number(map, ".kernarg_segment_size", 0),
        .group_size = number(map, ".group_segment_fixed_size", 0),
        .private_size = number(map, ".private_segment_fixed_size", 0),
        .max_threads = number(map, ".max_flat_workgroup_size", 0),
        .required = {element(required, 0), element(required, 1), element(required, 2)},
        .lanes = number(map, ".wavefront_size", 0),
        .sgprs = number(map, ".sgpr_count", 0),
        .vgprs = number(map, ".vgpr_count", 0),
        .agprs = number(map, ".agpr_count", 0),
        .dynamic_stack = boolean(map, ".uses_dynamic_stack"),
    };
    return out->name && out->symbol && out->kernarg_size <= KERNARG_MAX &&
           read_arguments(out, member(map, ".args"));
}

/* ---- formats ---------------------------------------------------------------------------- */

/* "0:0:<id in hexadecimal>,<format>". Formats with other contents are ignored. */
static bool read_format(struct ahhsa_format *out, const msgpack_object *object)
{
    char *line = text(object);
    char *id = line && strncmp(line, "0:0:", 4) == 0 ? line + 4 : NULL, *end = NULL;
    bool understood = false;
    if (id) {
        out->id = strtoull(id, &end, PRINTF_ID_BASE);
        understood = end != id && *end == ',' && (out->text = strdup(end + 1));
    }
    free(line);
    return understood;
}

static bool read_formats(struct ahhsa_metadata *out, const msgpack_object *list)
{
    size_t count = length(list);
    struct ahhsa_formats *formats = calloc(1, sizeof *formats);
    if (!formats || !(formats->list = calloc(count + 1, sizeof *formats->list))) {
        free(formats);
        return false;
    }
    atomic_init(&formats->references, 1);
    for (size_t i = 0; i < count; i++)
        if (read_format(&formats->list[formats->count], &list->via.array.ptr[i]))
            formats->count++;
    out->formats = formats;
    return true;
}

struct ahhsa_formats *ahhsa_formats_retain(struct ahhsa_formats *formats)
{
    atomic_fetch_add_explicit(&formats->references, 1, memory_order_relaxed);
    return formats;
}

void ahhsa_formats_release(struct ahhsa_formats *formats)
{
    if (!formats || atomic_fetch_sub_explicit(&formats->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < formats->count; i++)
        free(formats->list[i].text);
    free(formats->list);
    free(formats);
}

/* ---- all of it -------------------------------------------------------------------------- */

static const char *read_all(struct ahhsa_metadata *out, const msgpack_object *root)
{
    const msgpack_object *kernels = member(root, "amdhsa.kernels");
    const msgpack_object *version = member(root, "amdhsa.version");
    size_t count = length(kernels);
    out->major = element(version, 0);
    out->minor = element(version, 1);
    if (out->major != 1)
        return "the version of its metadata is not supported";
    out->kernels = calloc(count + 1, sizeof *out->kernels);
    if (!out->kernels)
        return "there is not enough memory for its metadata";
    for (size_t i = 0; i < count; i++) {
        out->kernel_count++; /* a kernel that was read in part is freed too */
        if (!read_kernel(&out->kernels[i], &kernels->via.array.ptr[i]))
            return "its metadata of a kernel is invalid";
    }
    return read_formats(out, member(root, "amdhsa.printf"))
               ? NULL
               : "there is not enough memory for its metadata";
}

bool ahhsa_metadata_parse(struct ahhsa_metadata *out, const void *note, size_t size,
                          const char **out_reason)
{
    msgpack_unpacked unpacked;
    size_t at = 0;
    *out = (struct ahhsa_metadata){0};
    *out_reason = "its metadata is damaged";
    msgpack_unpacked_init(&unpacked);
    if (size <= NOTE_MAX && counts_are_possible(note, size) &&
        msgpack_unpack_next(&unpacked, note, size, &at) == MSGPACK_UNPACK_SUCCESS)
        *out_reason = read_all(out, &unpacked.data);
    msgpack_unpacked_destroy(&unpacked);
    if (*out_reason)
        ahhsa_metadata_fini(out);
    return *out_reason == NULL;
}

/* ---- the note --------------------------------------------------------------------------- */

/* Finds the note in a range of notes. */
static const unsigned char *find_note(const unsigned char *data, size_t size, size_t *out_size)
{
    static const char owner[] = "AMDGPU";
    Elf64_Nhdr header;
    size_t at = 0;
    while (size - at >= sizeof header) {
        memcpy(&header, data + at, sizeof header);
        size_t name = at + sizeof header;
        size_t name_size = ((size_t)header.n_namesz + 3) & ~(size_t)3;
        size_t content_size = ((size_t)header.n_descsz + 3) & ~(size_t)3;
        if (name_size > size - name || header.n_descsz > size - name - name_size)
            return NULL;
        if (header.n_type == AMDGPU_NT_METADATA && header.n_namesz == sizeof owner &&
            memcmp(data + name, owner, sizeof owner) == 0) {
            *out_size = header.n_descsz;
            return data + name + name_size;
        }
        if (content_size > size - name - name_size)
            return NULL;
        at = name + name_size + content_size;
    }
    return NULL;
}

/* The address of a table of count entries; NULL: it is not in the file. */
static const unsigned char *table_at(const unsigned char *elf, size_t size, uint64_t offset,
                                     uint64_t count, uint64_t entry_size, size_t expected)
{
    return entry_size == expected && offset <= size && count * expected <= size - offset
               ? elf + offset
               : NULL;
}

static const unsigned char *note_in(const unsigned char *elf, size_t size, uint64_t offset,
                                    uint64_t length_in_file, size_t *out_size)
{
    return offset <= size && length_in_file <= size - offset
               ? find_note(elf + offset, (size_t)length_in_file, out_size)
               : NULL;
}

static const unsigned char *note_of_segments(const unsigned char *elf, size_t size,
                                             const Elf64_Ehdr *header, size_t *out_size)
{
    const unsigned char *note = NULL, *table = table_at(elf, size, header->e_phoff, header->e_phnum,
                                                        header->e_phentsize, sizeof(Elf64_Phdr));
    for (size_t i = 0; table && !note && i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, table + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_NOTE)
            note = note_in(elf, size, segment.p_offset, segment.p_filesz, out_size);
    }
    return note;
}

static const unsigned char *note_of_sections(const unsigned char *elf, size_t size,
                                             const Elf64_Ehdr *header, size_t *out_size)
{
    const unsigned char *note = NULL, *table = table_at(elf, size, header->e_shoff, header->e_shnum,
                                                        header->e_shentsize, sizeof(Elf64_Shdr));
    for (size_t i = 0; table && !note && i < header->e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, table + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_NOTE)
            note = note_in(elf, size, section.sh_offset, section.sh_size, out_size);
    }
    return note;
}

bool ahhsa_metadata_read(struct ahhsa_metadata *out, const void *elf, size_t size,
                         const char **out_reason)
{
    Elf64_Ehdr header;
    size_t note_size = 0;
    const unsigned char *note = NULL;
    *out = (struct ahhsa_metadata){0};
    *out_reason = "it is not an ELF file";
    if (size < sizeof header)
        return false;
    memcpy(&header, elf, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    note = note_of_segments(elf, size, &header, &note_size);
    if (!note)
        note = note_of_sections(elf, size, &header, &note_size);
    *out_reason = "it has no metadata of kernels";
    return note && ahhsa_metadata_parse(out, note, note_size, out_reason);
}

static void free_kernel(struct ahhsa_kernel_metadata *kernel)
{
    free(kernel->name);
    free(kernel->symbol);
    free(kernel->arguments);
}

void ahhsa_metadata_fini(struct ahhsa_metadata *metadata)
{
    for (size_t i = 0; i < metadata->kernel_count; i++)
        free_kernel(&metadata->kernels[i]);
    ahhsa_formats_release(metadata->formats);
    free(metadata->kernels);
    *metadata = (struct ahhsa_metadata){0};
}

const struct ahhsa_kernel_metadata *ahhsa_metadata_kernel(const struct ahhsa_metadata *metadata,
                                                          const char *name)
{
    for (size_t i = 0; i < metadata->kernel_count; i++)
        if (strcmp(metadata->kernels[i].name, name) == 0)
            return &metadata->kernels[i];
    return NULL;
}
