/* Vector instructions of a region: sources, the effect, results. Included by amdgpu_bitcode.c. */

/* All lanes are live: said to the compiler, which then leaves out what depends on EXEC. */
LANE void set_full(struct amdgpu_wave *wave, unsigned n)
{
    wave->s[AMDGPU_EXEC] = UINT32_MAX;
    if (n == 64)
        wave->s[AMDGPU_EXEC + 1] = UINT32_MAX;
}

LANE struct amdgpu_source source_of(u64 word, u64 value)
{
    struct amdgpu_source source = {.kind = (unsigned char)AMDGPU_BITCODE_KIND(word),
                                   .count = (unsigned char)AMDGPU_BITCODE_COUNT(word),
                                   .reg = (unsigned short)AMDGPU_BITCODE_REG(word),
                                   .value = value};
    return source;
}

/* The instruction, as far as it modifies sources. */
LANE struct amdgpu_inst inst_of(u64 edits, const struct amdgpu_row *row)
{
    struct amdgpu_inst inst = {.row = row,
                               .format = (unsigned char)(edits >> AMDGPU_BITCODE_FORMAT),
                               .neg = (unsigned char)(edits >> AMDGPU_BITCODE_NEG),
                               .abs = (unsigned char)(edits >> AMDGPU_BITCODE_ABS),
                               .neg_hi = (unsigned char)(edits >> AMDGPU_BITCODE_NEG_HI),
                               .op_sel = (unsigned char)(edits >> AMDGPU_BITCODE_OP_SEL),
                               .op_sel_hi = (unsigned char)(edits >> AMDGPU_BITCODE_OP_SEL_HI)};
    return inst;
}

LANE unsigned registers_of(unsigned type)
{
    return type == AMDGPU_B128 ? 4 : part_of(type) == PART_64 || type == AMDGPU_PKF32 ? 2 : 1;
}

/* The lanes of a source, in room: effects may be loops that index by lane, which registers must
 * not be. */
LANE const u32 *copy_source(const struct amdgpu_wave *wave, const struct amdgpu_source *source,
                            unsigned type, u32 *room, unsigned n)
{
    const unsigned registers = registers_of(type);
    if (source->kind == AMDGPU_VREG) {
        memcpy(room, destination(wave, source->reg, n), sizeof(u32) * n * registers);
    } else if (type == AMDGPU_MASK) {
        spread(read_mask(wave, source, n), room, n);
    } else {
        u64 value = source->kind == AMDGPU_SREG && registers == 1 ? wave->s[source->reg]
                                                                  : amdgpu_scalar(wave, source);
        for (unsigned r = 0; r < registers; ++r)
            fill(room + r * n, r == 0 ? (u32)value : r == 1 ? (u32)(value >> 32) : 0, n);
    }
    return room;
}

/* A source as the effect gets it. */
LANE const u32 *take_source(const struct amdgpu_wave *wave, const struct amdgpu_inst *inst,
                            unsigned flags, unsigned type, unsigned k, u64 word, u64 value,
                            u32 *room, unsigned n)
{
    struct amdgpu_source source = source_of(word, value);
    struct taken taken = {copy_source(wave, &source, type, room, n), room, registers_of(type)};
    unsigned part = part_of(type);
    if (part == PART_NONE)
        return room;
    if (!(flags & AMDGPU_VALU_RAW_OP_SEL))
        select_parts(inst, flags, part, k, &taken, n);
    change_signs(inst, flags, part, k, &taken, n);
    return room;
}

/* A result in registers, of live lanes. */
LANE void write_result(struct amdgpu_wave *wave, u64 head, u64 bits, u32 *aside, unsigned registers,
                       unsigned n)
{
    u32 *d = destination(wave, head >> AMDGPU_BITCODE_DST & 0xffff, n);
    if (bits & (AMDGPU_VALU_HIGH | AMDGPU_VALU_KEEP))
        place_half(aside, d, bits & AMDGPU_VALU_HIGH, bits & AMDGPU_VALU_KEEP, n);
    if (head >> AMDGPU_BITCODE_FULL & 1) {
        memcpy(d, aside, sizeof(u32) * n * registers);
        return;
    }
    ROOM(live, 1);
    spread(amdgpu_exec_of(wave, n), live, n);
    blend(d, aside, live, n, registers);
}

/* What a row is: as in struct amdgpu_valu_row. */
struct effect {
    amdgpu_effect apply;
    unsigned d, d1, count, types[4], flags;
};

LANE void run_row(struct amdgpu_wave *wave, const struct effect *effect, unsigned n, u64 head,
                  u64 bits, u64 edits, const u64 *words, const u64 *values)
{
    ROOM(rooms, 4 * 4);
    ROOM(aside, 4);
    ROOM(masks, 1);
    struct amdgpu_lanes l;
    bool full = head >> AMDGPU_BITCODE_FULL & 1;
    const struct amdgpu_row row = {
        .flags = edits >> AMDGPU_BITCODE_ACCUMULATES & 1 ? AMDGPU_ROW_ACCUMULATES : 0};
    const struct amdgpu_inst inst = inst_of(edits, &row);
    if (full)
        set_full(wave, n);
    for (unsigned k = 0; k < 3 && k < effect->count; ++k)
        l.s[k] = take_source(wave, &inst, effect->flags, effect->types[k], k, words[k], values[k],
                             rooms + k * 4 * n, n);
    if (effect->count == 4)
        l.s[3] = fetch_other(wave, &vcc, rooms + 3 * 4 * n, n);
    l.d = aside;
    l.d1 = masks;
    l.mode = AMDGPU_MODE_DEFAULT | (wave->mode & ~(u32)AMDGPU_MODE_FLOATS);
    l.bits = effect->flags & AMDGPU_VALU_RAW_OP_SEL ? inst.op_sel : inst.neg;
    effect->apply(&l);
    u64 exec = full ? everyone(n) : amdgpu_exec_of(wave, n);
    struct amdgpu_op op = {.bits = (u32)bits,
                           .dst = (unsigned short)(head >> AMDGPU_BITCODE_DST),
                           .dst1 = (unsigned short)(head >> AMDGPU_BITCODE_DST1)};
    if (effect->d == AMDGPU_MASK) {
        set_test(wave, &op, lane_signs(aside, n) & exec, n);
        return;
    }
    bool has_mask = effect->d1 == AMDGPU_MASK && !(bits & AMDGPU_VALU_NO_MASK);
    u64 mask = has_mask ? lane_signs(masks, n) & exec : 0;
    write_result(wave, head, bits, aside, registers_of(effect->d), n);
    if (has_mask)
        write_mask(wave, op.dst1, mask, n);
}
