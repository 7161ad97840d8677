// hipCreateChannelDesc: what one element of an array or texture holds.
#ifndef HIP_INCLUDE_HIP_CHANNEL_DESCRIPTOR_H
#define HIP_INCLUDE_HIP_CHANNEL_DESCRIPTOR_H

#include <hip/hip_common.h>
#include <hip/driver_types.h>
#if !defined(__HIPCC_RTC__)
#include <hip/hip_vector_types.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif
/// Makes a channel format descriptor.
/// @param [in] x,y,z,w  bits of each channel, 0 where there is none
/// @param [in] f        what the bits mean
/// Returns: the descriptor; the arguments are not checked here but where it is used.
/// Thread safety: safe. Stream order: none.
/// Source: HIP "Texture Management"; CUDA runtime cudaCreateChannelDesc.
HIP_PUBLIC_API hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                         hipChannelFormatKind f);
#ifdef __cplusplus
}

static inline hipChannelFormatDesc hipCreateChannelDescHalf()
{
    return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf1()
{
    return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf2()
{
    return hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf4()
{
    return hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindFloat);
}

/// The descriptor of T; of kind hipChannelFormatKindNone for a type that textures cannot hold,
/// three-component vectors among them.
template <typename T> static inline hipChannelFormatDesc hipCreateChannelDesc()
{
    return hipCreateChannelDesc(0, 0, 0, 0, hipChannelFormatKindNone);
}

#if !defined(__HIPCC_RTC__)
#define HIP_CHANNEL_ROW(type, x, y, z, w, kind)                                                    \
    template <> inline hipChannelFormatDesc hipCreateChannelDesc<type>()                           \
    {                                                                                              \
        return hipCreateChannelDesc(x, y, z, w, hipChannelFormatKind##kind);                       \
    }
#define HIP_CHANNEL_ROWS(scalar, vector, bits, kind)                                               \
    HIP_CHANNEL_ROW(scalar, bits, 0, 0, 0, kind)                                                   \
    HIP_CHANNEL_ROW(vector##1, bits, 0, 0, 0, kind)                                                \
    HIP_CHANNEL_ROW(vector##2, bits, bits, 0, 0, kind)                                             \
    HIP_CHANNEL_ROW(vector##4, bits, bits, bits, bits, kind)

HIP_CHANNEL_ROW(char, 8, 0, 0, 0, Signed)
HIP_CHANNEL_ROWS(signed char, char, 8, Signed)
HIP_CHANNEL_ROWS(unsigned char, uchar, 8, Unsigned)
HIP_CHANNEL_ROWS(short, short, 16, Signed)
HIP_CHANNEL_ROWS(unsigned short, ushort, 16, Unsigned)
HIP_CHANNEL_ROWS(int, int, 32, Signed)
HIP_CHANNEL_ROWS(unsigned int, uint, 32, Unsigned)
HIP_CHANNEL_ROWS(float, float, 32, Float)
#if !defined(__LP64__)
HIP_CHANNEL_ROWS(long, long, 32, Signed)
HIP_CHANNEL_ROWS(unsigned long, ulong, 32, Unsigned)
#endif

#undef HIP_CHANNEL_ROWS
#undef HIP_CHANNEL_ROW
#endif // !__HIPCC_RTC__
#endif // __cplusplus
#endif
