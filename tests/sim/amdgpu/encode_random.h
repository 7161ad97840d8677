/* Encodings of a row with fields chosen at random, most of them valid. */
#ifndef ENCODE_RANDOM_H
#define ENCODE_RANDOM_H

#include "amdgpu_inst.h"

/* A row in one of its forms. */
struct random_form {
    enum amdgpu_isa isa;
    const struct amdgpu_row *row;
    bool vop3;
};

enum { RANDOM_WORDS = 6 };
/* The result depends only on the seed, which is updated. */
void encode_random(const struct random_form *form, uint64_t *seed, uint32_t *out_words);

#endif
