/* Atomic functions: atomicAdd, Sub, Exch, Min, Max, Inc, Dec, CAS, And, Or, Xor, each for
 * the device and, with _system, for the whole system; safe and unsafe float forms; and
 * the __hip_atomic_ builtins of clang. All are relaxed: they order nothing but the word
 * itself, as in HIP. They return what the word held before.
 *
 * AMD: one global_atomic, ds or flat_atomic instruction where the processor has it, a
 * compare-and-swap loop of the compiler's otherwise. Scope agent or system.
 * NVIDIA: atom (scope gpu) or atom.sys; float and double minimum and maximum are a load and, if
 * that changes something, those of integers. */
#ifndef HIP_DEVICE_ATOMICS_H
#define HIP_DEVICE_ATOMICS_H

#include "hip/device/sync.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* ---- read-modify-write on the system, the parts where the vendors differ ---- */

namespace __ah
{
template <typename T> struct plain {
    typedef T type;
};
template <typename T> struct plain<volatile T> {
    typedef T type;
};

#if defined(__NVPTX__)
/* On NVPTX clang gives every read-modify-write the scope of the device, so the system's
 * scope comes from the atom.sys builtins, chosen by size. */
#define __AH_SYSTEM_INT(op)                                                                        \
    template <typename T> __AH_FN T system_##op(T *p, T v)                                         \
    {                                                                                              \
        if (sizeof(T) == 8)                                                                        \
            return (T)__nvvm_atom_sys_##op##_gen_ll((long long *)p, (long long)v);                 \
        return (T)__nvvm_atom_sys_##op##_gen_i((int *)p, (int)v);                                  \
    }
__AH_SYSTEM_INT(add)
__AH_SYSTEM_INT(and)
__AH_SYSTEM_INT(or)
__AH_SYSTEM_INT(xor)
#undef __AH_SYSTEM_INT
__AH_FN float system_add(float *p, float v) { return __nvvm_atom_sys_add_gen_f(p, v); }
__AH_FN double system_add(double *p, double v) { return __nvvm_atom_sys_add_gen_d(p, v); }
/* Also of numbers and classes that are no integers. */
template <typename T> __AH_FN T system_xchg(T *p, T v)
{
    if constexpr (sizeof(T) == 8)
        return __builtin_bit_cast(
            T, __nvvm_atom_sys_xchg_gen_ll((long long *)p, __builtin_bit_cast(long long, v)));
    else if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(T,
                                  __nvvm_atom_sys_xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));
    else // a loop of compare-and-swap of the word around it
        return __hip_atomic_exchange(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
template <typename T> __AH_FN T system_sub(T *p, T v) { return system_add(p, (T)-v); }
/* Smallest and largest: clang 22's builtins compare unsigned numbers as signed ones. */
#define __AH_SYSTEM_ORDERED_INT(op, integer, ptx, letter)                                          \
    __AH_FN integer system_##op(integer *p, integer v)                                             \
    {                                                                                              \
        integer old;                                                                               \
        __asm__ volatile("atom.sys." #op "." #ptx " %0, [%1], %2;"                                 \
                         : "=" letter(old)                                                         \
                         : "l"(p), letter(v)                                                       \
                         : "memory");                                                              \
        return old;                                                                                \
    }
#define __AH_SYSTEM_ORDERED(op)                                                                    \
    __AH_SYSTEM_ORDERED_INT(op, int, s32, "r")                                                     \
    __AH_SYSTEM_ORDERED_INT(op, unsigned int, u32, "r")                                            \
    __AH_SYSTEM_ORDERED_INT(op, long, s64, "l")                                                    \
    __AH_SYSTEM_ORDERED_INT(op, unsigned long, u64, "l")                                           \
    __AH_SYSTEM_ORDERED_INT(op, long long, s64, "l")                                               \
    __AH_SYSTEM_ORDERED_INT(op, unsigned long long, u64, "l")
__AH_SYSTEM_ORDERED(min)
__AH_SYSTEM_ORDERED(max)
#undef __AH_SYSTEM_ORDERED
#undef __AH_SYSTEM_ORDERED_INT
/* Smallest and largest float or double. Their bits order them as a signed integer does if one of
 * two is not negative, and the other way round as an unsigned one if one is negative. Most calls
 * find a word that stays as it is, and only read. NaN is left to a loop, whose compare-and-swap has
 * the system's scope. */
__AH_FN bool ordered_bits(unsigned int bits) { return (bits & ~(1u << 31)) <= 0x7f800000u; }
__AH_FN bool ordered_bits(unsigned long long bits)
{
    return (bits & ~(1ull << 63)) <= 0x7ff0000000000000ull;
}
#define __AH_FLOAT_ORDERED(T, integer, op, other, changes)                                         \
    template <int scope> __AH_FN T float_##op(T *p, T v)                                           \
    {                                                                                              \
        typedef unsigned integer natural;                                                          \
        natural *word = (natural *)p;                                                              \
        natural held = __hip_atomic_load(word, __ATOMIC_RELAXED, scope);                           \
        natural bits = __builtin_bit_cast(natural, v);                                             \
        T old = __builtin_bit_cast(T, held);                                                       \
        if (!ordered_bits(held) || !ordered_bits(bits))                                            \
            return __hip_atomic_fetch_##op(p, v, __ATOMIC_RELAXED, scope);                         \
        if (!(changes))                                                                            \
            return old;                                                                            \
        bool negative = bits >> (8 * sizeof(T) - 1) != 0;                                          \
        if (scope == __HIP_MEMORY_SCOPE_SYSTEM)                                                    \
            held = negative ? system_##other(word, bits)                                           \
                            : (natural)system_##op((integer *)p, (integer)bits);                   \
        else                                                                                       \
            held = negative ? __hip_atomic_fetch_##other(word, bits, __ATOMIC_RELAXED, scope)      \
                            : (natural)__hip_atomic_fetch_##op((integer *)p, (integer)bits,        \
                                                               __ATOMIC_RELAXED, scope);           \
        return __builtin_bit_cast(T, held);                                                        \
    }                                                                                              \
    __AH_FN T system_##op(T *p, T v) { return float_##op<__HIP_MEMORY_SCOPE_SYSTEM>(p, v); }
__AH_FLOAT_ORDERED(float, int, min, max, v < old)
__AH_FLOAT_ORDERED(float, int, max, min, old < v)
__AH_FLOAT_ORDERED(double, long long, min, max, v < old)
__AH_FLOAT_ORDERED(double, long long, max, min, old < v)
#undef __AH_FLOAT_ORDERED
__AH_FN unsigned int wrap_inc(unsigned int *p, unsigned int v)
{
    return __nvvm_atom_inc_gen_ui(p, v);
}
__AH_FN unsigned int wrap_dec(unsigned int *p, unsigned int v)
{
    return __nvvm_atom_dec_gen_ui(p, v);
}
__AH_FN unsigned int system_wrap_inc(unsigned int *p, unsigned int v)
{
    return __nvvm_atom_sys_inc_gen_ui(p, v);
}
__AH_FN unsigned int system_wrap_dec(unsigned int *p, unsigned int v)
{
    return __nvvm_atom_sys_dec_gen_ui(p, v);
}
#else
#define __AH_SYSTEM(op)                                                                            \
    template <typename T> __AH_FN T system_##op(T *p, T v)                                         \
    {                                                                                              \
        return __hip_atomic_fetch_##op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);         \
    }
__AH_SYSTEM(add)
__AH_SYSTEM(sub)
__AH_SYSTEM(min)
__AH_SYSTEM(max)
__AH_SYSTEM(and)
__AH_SYSTEM(or)
__AH_SYSTEM(xor)
#undef __AH_SYSTEM
template <typename T> __AH_FN T system_xchg(T *p, T v)
{
    return __hip_atomic_exchange(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__AH_FN unsigned int wrap_inc(unsigned int *p, unsigned int v)
{
    return __builtin_amdgcn_atomic_inc32(p, v, __ATOMIC_RELAXED, "agent");
}
__AH_FN unsigned int wrap_dec(unsigned int *p, unsigned int v)
{
    return __builtin_amdgcn_atomic_dec32(p, v, __ATOMIC_RELAXED, "agent");
}
__AH_FN unsigned int system_wrap_inc(unsigned int *p, unsigned int v)
{
    return __builtin_amdgcn_atomic_inc32(p, v, __ATOMIC_RELAXED, "");
}
__AH_FN unsigned int system_wrap_dec(unsigned int *p, unsigned int v)
{
    return __builtin_amdgcn_atomic_dec32(p, v, __ATOMIC_RELAXED, "");
}
#endif
} // namespace __ah

/* ---- HIP's functions ---- */

#define __AH_ATOMIC(T, name, op)                                                                   \
    __AH_FN T atomic##name(T *address, T value)                                                    \
    {                                                                                              \
        return __hip_atomic_fetch_##op(address, value, __ATOMIC_RELAXED,                           \
                                       __HIP_MEMORY_SCOPE_AGENT);                                  \
    }                                                                                              \
    __AH_FN T atomic##name##_system(T *address, T value)                                           \
    {                                                                                              \
        return __ah::system_##op(address, value);                                                  \
    }

#define __AH_ATOMIC_EXCHANGE(T)                                                                    \
    __AH_FN T atomicExch(T *address, T value)                                                      \
    {                                                                                              \
        return __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);  \
    }                                                                                              \
    __AH_FN T atomicExch_system(T *address, T value) { return __ah::system_xchg(address, value); } \
    /* stores value where the word equals compare */                                               \
    __AH_FN T atomicCAS(T *address, T compare, T value)                                            \
    {                                                                                              \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED,           \
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);          \
        return compare;                                                                            \
    }                                                                                              \
    __AH_FN T atomicCAS_system(T *address, T compare, T value)                                     \
    {                                                                                              \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED,           \
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);         \
        return compare;                                                                            \
    }

#define __AH_ATOMIC_NUMBER(T)                                                                      \
    __AH_ATOMIC(T, Add, add)                                                                       \
    __AH_ATOMIC(T, Sub, sub)                                                                       \
    __AH_ATOMIC(T, Min, min)                                                                       \
    __AH_ATOMIC(T, Max, max)                                                                       \
    __AH_ATOMIC_EXCHANGE(T)

#define __AH_ATOMIC_INTEGER(T)                                                                     \
    __AH_ATOMIC_NUMBER(T)                                                                          \
    __AH_ATOMIC(T, And, and)                                                                       \
    __AH_ATOMIC(T, Or, or)                                                                         \
    __AH_ATOMIC(T, Xor, xor)

__AH_ATOMIC_INTEGER(int)
__AH_ATOMIC_INTEGER(unsigned int)
__AH_ATOMIC_INTEGER(long)
__AH_ATOMIC_INTEGER(unsigned long)
__AH_ATOMIC_INTEGER(long long)
__AH_ATOMIC_INTEGER(unsigned long long)
#undef __AH_ATOMIC_INTEGER
#undef __AH_ATOMIC_NUMBER

/* On AMD a float or double operation is one instruction only where that is right for all
 * memory the compiler's flags let it expect (-munsafe-fp-atomics widens that), else a
 * loop. A subtraction is the addition of the negative. */
__AH_ATOMIC(float, Add, add)
__AH_ATOMIC(double, Add, add)
#if defined(__NVPTX__)
#define __AH_ATOMIC_ORDERED(T, name, op)                                                           \
    __AH_FN T atomic##name(T *address, T value)                                                    \
    {                                                                                              \
        return __ah::float_##op<__HIP_MEMORY_SCOPE_AGENT>(address, value);                         \
    }                                                                                              \
    __AH_FN T atomic##name##_system(T *address, T value)                                           \
    {                                                                                              \
        return __ah::system_##op(address, value);                                                  \
    }
#else
#define __AH_ATOMIC_ORDERED __AH_ATOMIC
#endif
__AH_ATOMIC_ORDERED(float, Min, min)
__AH_ATOMIC_ORDERED(float, Max, max)
__AH_ATOMIC_ORDERED(double, Min, min)
__AH_ATOMIC_ORDERED(double, Max, max)
#undef __AH_ATOMIC_ORDERED
__AH_ATOMIC_EXCHANGE(float)
__AH_ATOMIC_EXCHANGE(double)
#undef __AH_ATOMIC
#undef __AH_ATOMIC_EXCHANGE
__AH_FN float atomicSub(float *address, float value) { return atomicAdd(address, -value); }
__AH_FN double atomicSub(double *address, double value) { return atomicAdd(address, -value); }
__AH_FN float atomicSub_system(float *address, float value)
{
    return atomicAdd_system(address, -value);
}
__AH_FN double atomicSub_system(double *address, double value)
{
    return atomicAdd_system(address, -value);
}

/* atomicInc: old >= limit ? 0 : old + 1. atomicDec: old == 0 or old > limit ? limit :
 * old - 1. (atom.inc and atom.dec; global_atomic_inc and _dec.) */
__AH_FN unsigned int atomicInc(unsigned int *address, unsigned int limit)
{
    return __ah::wrap_inc(address, limit);
}
__AH_FN unsigned int atomicDec(unsigned int *address, unsigned int limit)
{
    return __ah::wrap_dec(address, limit);
}
__AH_YIELDING __AH_FN unsigned int atomicInc_system(unsigned int *address, unsigned int limit)
{
    return __ah::system_wrap_inc(address, limit);
}
__AH_YIELDING __AH_FN unsigned int atomicDec_system(unsigned int *address, unsigned int limit)
{
    return __ah::system_wrap_dec(address, limit);
}

/* safe: right on any memory, whatever the compiler's flags. unsafe: the processor's
 * instruction wherever there is one; on AMD the memory must not be fine-grained. On NVIDIA
 * there is no difference. */
#define __AH_ATOMIC_SAFETY(T, name, op)                                                            \
    __AH_FN T safeAtomic##name(T *address, T value)                                                \
    {                                                                                              \
        T old;                                                                                     \
        [[clang::atomic(remote_memory, fine_grained_memory, no_ignore_denormal_mode)]]             \
        {                                                                                          \
            old = __hip_atomic_fetch_##op(address, value, __ATOMIC_RELAXED,                        \
                                          __HIP_MEMORY_SCOPE_AGENT);                               \
        }                                                                                          \
        return old;                                                                                \
    }                                                                                              \
    __AH_FN T unsafeAtomic##name(T *address, T value)                                              \
    {                                                                                              \
        T old;                                                                                     \
        [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]]          \
        {                                                                                          \
            old = __hip_atomic_fetch_##op(address, value, __ATOMIC_RELAXED,                        \
                                          __HIP_MEMORY_SCOPE_AGENT);                               \
        }                                                                                          \
        return old;                                                                                \
    }
__AH_ATOMIC_SAFETY(float, Add, add)
__AH_ATOMIC_SAFETY(double, Add, add)
#if defined(__NVPTX__)
#define __AH_ATOMIC_ORDERED(T, name)                                                               \
    __AH_FN T safeAtomic##name(T *address, T value) { return atomic##name(address, value); }       \
    __AH_FN T unsafeAtomic##name(T *address, T value) { return atomic##name(address, value); }
__AH_ATOMIC_ORDERED(float, Min)
__AH_ATOMIC_ORDERED(float, Max)
__AH_ATOMIC_ORDERED(double, Min)
__AH_ATOMIC_ORDERED(double, Max)
#undef __AH_ATOMIC_ORDERED
#else
__AH_ATOMIC_SAFETY(float, Min, min)
__AH_ATOMIC_SAFETY(float, Max, max)
__AH_ATOMIC_SAFETY(double, Min, min)
__AH_ATOMIC_SAFETY(double, Max, max)
#endif
#undef __AH_ATOMIC_SAFETY
/* the unsafe addition for programs that do not want the old value: its first name */
__AH_FN void atomicAddNoRet(float *address, float value) { unsafeAtomicAdd(address, value); }

/* ---- clang's __hip_atomic_ builtins with an order ---- */

#if defined(__NVPTX__)
/* NVPTX drops the order and the scope of a read-modify-write. These stand in for the
 * builtins of the same names: the fences an order asks for around a relaxed operation
 * (PTX ISA, "Memory Consistency Model"), and the system's scope where asked for. */
namespace __ah
{
#define __AH_FENCE(scope)                                                                          \
    if (order == __ATOMIC_SEQ_CST)                                                                 \
        asm volatile("fence.sc." scope ";" ::: "memory");                                          \
    else                                                                                           \
        asm volatile("fence.acq_rel." scope ";" ::: "memory")
__AH_FN void fence(int order, int scope)
{
    if (scope == __HIP_MEMORY_SCOPE_SYSTEM) {
        __AH_FENCE("sys");
    } else if (scope == __HIP_MEMORY_SCOPE_AGENT || scope == __HIP_MEMORY_SCOPE_CLUSTER) {
        __AH_FENCE("gpu");
    } else if (scope != __HIP_MEMORY_SCOPE_SINGLETHREAD) {
        __AH_FENCE("cta");
    }
}
#undef __AH_FENCE
__AH_FN void fence_before(int order, int scope)
{
    if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
        fence(order, scope);
}
__AH_FN void fence_after(int order, int scope)
{
    if (order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
        order == __ATOMIC_SEQ_CST)
        fence(__ATOMIC_ACQ_REL, scope);
}
#define __AH_ORDERED(op, builtin, system)                                                          \
    template <typename T>                                                                          \
    __AH_FN typename plain<T>::type ordered_##op(T *p, typename plain<T>::type v, int order,       \
                                                 int scope)                                        \
    {                                                                                              \
        typedef typename plain<T>::type P;                                                         \
        fence_before(order, scope);                                                                \
        P old = scope == __HIP_MEMORY_SCOPE_SYSTEM                                                 \
                    ? system((P *)p, v)                                                            \
                    : builtin((P *)p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);              \
        fence_after(order, scope);                                                                 \
        return old;                                                                                \
    }
__AH_ORDERED(add, __hip_atomic_fetch_add, system_add)
__AH_ORDERED(sub, __hip_atomic_fetch_sub, system_sub)
__AH_ORDERED(min, __hip_atomic_fetch_min, system_min)
__AH_ORDERED(max, __hip_atomic_fetch_max, system_max)
__AH_ORDERED(and, __hip_atomic_fetch_and, system_and)
__AH_ORDERED(or, __hip_atomic_fetch_or, system_or)
__AH_ORDERED(xor, __hip_atomic_fetch_xor, system_xor)
__AH_ORDERED(xchg, __hip_atomic_exchange, system_xchg)
#undef __AH_ORDERED
} // namespace __ah
#define __hip_atomic_fetch_add(p, v, order, scope) __ah::ordered_add(p, v, order, scope)
#define __hip_atomic_fetch_sub(p, v, order, scope) __ah::ordered_sub(p, v, order, scope)
#define __hip_atomic_fetch_min(p, v, order, scope) __ah::ordered_min(p, v, order, scope)
#define __hip_atomic_fetch_max(p, v, order, scope) __ah::ordered_max(p, v, order, scope)
#define __hip_atomic_fetch_and(p, v, order, scope) __ah::ordered_and(p, v, order, scope)
#define __hip_atomic_fetch_or(p, v, order, scope)  __ah::ordered_or(p, v, order, scope)
#define __hip_atomic_fetch_xor(p, v, order, scope) __ah::ordered_xor(p, v, order, scope)
#define __hip_atomic_exchange(p, v, order, scope)  __ah::ordered_xchg(p, v, order, scope)
#endif

#undef __AH_FN
#endif
