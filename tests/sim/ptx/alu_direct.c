/* Writes the results of the simulator's arithmetic for every spelling of the list, in the format of
 * alu_golden.c, by calling the handlers.
 *
 *   alu_direct <list> <output> */
#include "alu_lanes.h"

int main(int argc, char **argv)
{
    unsigned count = 0;
    struct alu_spelling *spellings = argc == 3 ? alu_read_list(argv[1], &count) : NULL;
    FILE *file = spellings ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "usage: %s <list> <output>\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < count; ++i) {
        uint64_t d[ALU_LANES], q[ALU_LANES];
        if (!alu_apply(&spellings[i], sim_isa(), d, q))
            return 1;
        alu_write(file, &spellings[i], false, d);
        if (spellings[i].second || alu_gives_carry(&spellings[i]))
            alu_write(file, &spellings[i], true, q);
    }
    free(spellings);
    return fclose(file) != 0;
}
