/* The kernels of kernels.S, and packets that run them. */
#ifndef SIMKMT_KERNELS_H
#define SIMKMT_KERNELS_H

#include "queue.h"

#include <elf.h>

enum kernel { SLICES, ABORTS, BREAKS, ILLEGAL, MISALIGNED, ABSENT, UNIT, GLOBAL_BARRIER, SPINS };
enum handler {
    REPORTS,
    CONTINUES,
    RETURNS,
    FAULTS,
    STORES
}; /* at multiples of 256 bytes from HANDLERS on */
enum { CODE_MAX = 16 * PAGE, DESCRIPTOR = 64, HANDLERS = 768, HANDLER = 256 };

static unsigned char *kernels; /* in host memory, from which devices execute code too */

static inline void load_kernels(void)
{
    static unsigned char file[1 << 20];
    FILE *from = fopen(KERNELS_PATH, "rb");
    assert_non_null(from);
    assert_true(fread(file, 1, sizeof file, from) > sizeof(Elf64_Ehdr));
    fclose(from);
    const Elf64_Ehdr *header = (const void *)file;
    const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
    const char *names = (const char *)file + sections[header->e_shstrndx].sh_offset;
    kernels = allocate(0, CODE_MAX);
    for (int i = 0; i < header->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, ".text") == 0)
            memcpy(kernels, file + sections[i].sh_offset, sections[i].sh_size);
}

static inline hsa_kernel_dispatch_packet_t packet_of(enum kernel kernel, uint32_t groups,
                                                     uint32_t items, const void *arguments,
                                                     const amd_signal_t *completion)
{
    return (hsa_kernel_dispatch_packet_t){
        .setup = 1,
        .workgroup_size_x = (uint16_t)items,
        .workgroup_size_y = 1,
        .workgroup_size_z = 1,
        .grid_size_x = groups * items,
        .grid_size_y = 1,
        .grid_size_z = 1,
        .kernel_object = (uintptr_t)kernels + (unsigned)kernel * DESCRIPTOR,
        .kernarg_address = (void *)(uintptr_t)arguments,
        .completion_signal = {(uintptr_t)completion},
    };
}

#endif
