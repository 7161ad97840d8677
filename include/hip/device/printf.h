/* printf and assert in device code.
 *
 * NVIDIA: clang turns printf into vprintf, and a failed assert calls __assertfail; both
 * belong to the CUDA driver. AMD: the driver compiles with -mprintf-kind=buffered, so that
 * clang writes records into a buffer it asks __printf_alloc for; the host prints them.
 * docs/kernel-abi.md has the layout. */
#ifndef HIP_DEVICE_PRINTF_H
#define HIP_DEVICE_PRINTF_H

#include "hip/device/prelude.h"

#if defined(__NVPTX__)

extern "C" __device__ __attribute__((noreturn)) void
__assertfail(const char *expression, const char *file, unsigned int line, const char *function,
             __SIZE_TYPE__ character_size);

extern "C" __device__ inline void __assert_fail(const char *expression, const char *file,
                                                unsigned int line, const char *function)
{
    __assertfail(expression, file, line, function, 1);
}

#elif defined(__HIP_DEVICE_COMPILE__)

/* Room for a record of n bytes in the printf buffer, null where none is left. Clang calls
 * this by name. Records start 4 bytes before a multiple of 8, so that what follows their
 * first word is aligned; the host finds the next one in the same way. */
extern "C" __device__ __attribute__((weak, noinline)) __attribute__((address_space(1))) void *
__printf_alloc(unsigned int n)
{
    typedef __attribute__((address_space(1))) unsigned char global_byte;
    typedef __attribute__((address_space(1))) unsigned int global_word;
    typedef const __attribute__((address_space(4))) unsigned char *implicit_arguments;
    typedef global_word *const __attribute__((address_space(4))) * buffer_argument;

    /* hidden_hostcall_buffer, which the compiler lists for the kernels that read it, where it
     * lists hidden_printf_buffer for all that are beside a format. Word 0 counts the bytes taken,
     * word 1 is the capacity. */
    global_word *buffer =
        *(buffer_argument)((implicit_arguments)__builtin_amdgcn_implicitarg_ptr() + 80);
    if (!buffer)
        return nullptr;
    unsigned int size = (n + 7) & ~7u, capacity = buffer[1];
    unsigned int offset =
        __hip_atomic_fetch_add(buffer, size, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (offset > capacity || capacity - offset < size + 4)
        return nullptr;
    return (global_byte *)(buffer + 2) + 4 + offset;
}

/* The message goes the way of printf; the trap ends the kernel with an error. */
extern "C" __device__ __attribute__((weak, noinline, cold)) void
__assert_fail(const char *expression, const char *file, unsigned int line, const char *function)
{
    printf("%s:%u: %s: Assertion `%s' failed in block (%u,%u,%u), thread (%u,%u,%u).\n", file, line,
           function, expression, __builtin_amdgcn_workgroup_id_x(),
           __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z(),
           __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
           __builtin_amdgcn_workitem_id_z());
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
    __trap();
}

#endif

#endif
