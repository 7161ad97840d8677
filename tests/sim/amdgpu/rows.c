/* At its end a program writes the rows that it executed to the file that ANYHIP_TEST_ROWS names:
 * a line for each, of device, format and name. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };
static bool executed[AMDGPU_ISA_COUNT][MOST];

static void note(enum amdgpu_isa isa, const struct amdgpu_row *row)
{
    size_t index = (size_t)(row - amdgpu_row_at(0));
    if (index >= MOST || amdgpu_row_at(index) != row)
        abort(); /* not a row of the table */
    executed[isa][index] = true;
}

void rows_executed(enum amdgpu_isa isa, const struct amdgpu_inst *inst)
{
    note(isa, inst->row);
    if (inst->row_y)
        note(isa, inst->row_y);
}

__attribute__((destructor)) static void write_rows(void)
{
    const char *path = getenv("ANYHIP_TEST_ROWS");
    FILE *file = path ? fopen(path, "w") : NULL;
    const struct amdgpu_row *row;
    if (path && !file)
        perror(path);
    for (size_t i = 0; file && (row = amdgpu_row_at(i)); i++)
        for (unsigned isa = 0; isa < AMDGPU_ISA_COUNT; isa++)
            if (executed[isa][i])
                fprintf(file, "%s %u %s\n", amdgpu_isa_name((enum amdgpu_isa)isa), row->format,
                        row->name);
    if (file)
        fclose(file);
}
