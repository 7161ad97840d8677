/* Owns the text of regions. */
#include "wave.h"

/* 128 bytes are as likely 32 elements of 4 as 16 of 8: what matters is where. */
static void print_slot(const struct wave_slot *slot, FILE *out)
{
    fprintf(out, "%c%u:%u", slot->base == WAVE_FRAME ? 'f' : 's', slot->offset, slot->size);
}

static void print_slots(const struct wave_slot *slots, unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        print_slot(&slots[i], out);
    }
}

static void print_call(const char *function, const uint64_t *arguments, unsigned count, FILE *out)
{
    fprintf(out, "%s(", function ? function : "?");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, arguments[i] < 0x10000 ? "%s%llu" : "%s0x%llx", i ? ", " : "",
                (unsigned long long)arguments[i]);
    fputs(")", out);
}

static void print_op(const struct wave_region *region, const void *op, FILE *out)
{
    char text[256] = "";
    if (region->machine->describe && op)
        region->machine->describe(op, region->data, text, sizeof text);
    if (text[0])
        fprintf(out, " ; %s", text);
    fputs("\n", out);
}

static void print_inst(const struct wave_region *region, const struct wave_inst *inst, FILE *out)
{
    static const char *const kinds[] = {"", "attempt ", "handler", "guard "};
    fputs("  ", out);
    if (inst->write_count) {
        print_slots(inst->writes, inst->write_count, out);
        fputs(" = ", out);
    }
    fputs(kinds[inst->kind], out);
    if (inst->kind != WAVE_HANDLER)
        print_call(inst->function, inst->arguments, inst->argument_count, out);
    if (inst->read_count) {
        fputs(" of ", out);
        print_slots(inst->reads, inst->read_count, out);
    }
    print_op(region, inst->op, out);
}

static void print_end(const struct wave_region *region, const struct wave_block *block, FILE *out)
{
    static const char *const ends[] = {"jump", "branch ", "leave"};
    fprintf(out, "  %s", ends[block->end]);
    if (block->end == WAVE_BRANCH) {
        print_call(block->function, block->arguments, block->argument_count, out);
        if (block->read_count) {
            fputs(" of ", out);
            print_slots(block->reads, block->read_count, out);
        }
    }
    for (unsigned i = 0; i < block->target_count && i < WAVE_TARGETS_MAX; i++)
        fprintf(out, "%s%u", i ? ", " : " -> ", block->targets[i]);
    if (block->end == WAVE_LEAVE && block->comes_back)
        fprintf(out, ", and comes to %u", block->comes_to);
    print_op(region, block->op, out);
}

void wave_print(const struct wave_region *region, FILE *out)
{
    fprintf(out, "region %s (%s): %u bytes of frame\n", region->name, region->machine->name,
            region->frame_size);
    for (unsigned b = 0; b < region->block_count; b++) {
        const struct wave_block *block = &region->blocks[b];
        fprintf(out, "block %u:", b);
        for (unsigned e = 0; e < region->entry_count; e++)
            if (region->entries[e] == b)
                fprintf(out, " entry %u", e);
        fputs("\n", out);
        for (unsigned n = 0; n < block->inst_count; n++)
            print_inst(region, &block->insts[n], out);
        print_end(region, block, out);
    }
}

size_t wave_inst_count(const struct wave_region *region)
{
    size_t count = 0;
    for (unsigned b = 0; b < region->block_count; b++)
        count += region->blocks[b].inst_count;
    return count;
}
