/* PTX of the kernel that most tests launch, for images of their own. */
#ifndef FILL_PTX_H
#define FILL_PTX_H

#define PTX_HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

/* fake_fill(out, value, count), by the first thread of the first block */
#define PTX_FILL                                                                                   \
    ".visible .entry fake_fill(.param .u64 out, .param .u32 value, .param .u32 count)\n"           \
    "{\n"                                                                                          \
    "    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"                                      \
    "    ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0;\n"                               \
    "    ld.param.u32 %r0, [value]; ld.param.u32 %r1, [count];\n"                                  \
    "    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; or.b32 %r2, %r2, %r3;\n"                      \
    "    setp.ne.u32 %p, %r2, 0; @%p ret;\n"                                                       \
    "    mov.u32 %r4, 0;\n"                                                                        \
    "loop: setp.ge.u32 %p, %r4, %r1; @%p ret;\n"                                                   \
    "    mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd0, %rd1;\n"                                   \
    "    st.global.u32 [%rd1], %r0; add.u32 %r4, %r4, 1; bra loop;\n"                              \
    "}\n"

#endif
