/* What the classes of numbers of 4 and 6 bits (fp4.h, fp6.h) are made of: one number, two and four.
 * F is a format: format(), the types storage, storage2 and storage4, the distance of two numbers in
 * those (spacing), and high_first. */
#ifndef HIP_DEVICE_SMALL_FLOAT_CLASSES_H
#define HIP_DEVICE_SMALL_FLOAT_CLASSES_H

#include "hip/device/small_float.h"

#if defined(__cplusplus)

#define __AH_FN __host__ __device__

namespace __ah
{
template <typename F> __AH_FN inline typename F::storage small_code(unsigned int word)
{
    return static_cast<typename F::storage>(
        small_from_float(word, F::format(), 0, small_nearest()));
}
template <typename F> __AH_FN inline typename F::storage2 small_codes(small_words words)
{
    return static_cast<typename F::storage2>(small_code<F>(words.x) | small_code<F>(words.y)
                                                                          << F::spacing);
}
template <typename F> __AH_FN inline unsigned int small_element(unsigned int all, int i)
{
    return small_to_float(all >> (F::spacing * i), F::format(), 0);
}
template <typename F> __AH_FN inline __half_raw small_to_half(unsigned int code)
{
    __half_raw raw;
    raw.x = small_half_bits(small_element<F>(code, 0));
    return raw;
}
template <typename F> __AH_FN inline __half2_raw small_to_half2(unsigned int codes)
{
    __half2_raw raw;
    raw.x = small_half_bits(small_element<F>(codes, 0));
    raw.y = small_half_bits(small_element<F>(codes, 1));
    return raw;
}

/* The bits alone. */
template <typename Storage> struct small_bits {
    Storage __x;
};

/* With conversions to other types, if operators. */
template <typename F, bool operators> struct small_readable : small_bits<typename F::storage> {
};
template <typename F> struct small_readable<F, true> : small_bits<typename F::storage> {
    __AH_FN operator __half_raw() const { return small_to_half<F>(this->__x); }
    __AH_FN operator __hip_bfloat16_raw() const
    {
        __hip_bfloat16_raw raw = {small_bfloat_bits(small_element<F>(this->__x, 0))};
        return raw;
    }
    __AH_FN operator float() const { return float_of_bits(small_element<F>(this->__x, 0)); }
    __AH_FN operator double() const
    {
        return static_cast<double>(float_of_bits(small_element<F>(this->__x, 0)));
    }
};
template <typename F, bool operators> struct small_readable2 : small_bits<typename F::storage2> {
};
template <typename F> struct small_readable2<F, true> : small_bits<typename F::storage2> {
    __AH_FN operator __half2_raw() const { return small_to_half2<F>(this->__x); }
    __AH_FN operator __hip_bfloat162_raw() const
    {
        __hip_bfloat162_raw raw = {small_bfloat_bits(small_element<F>(this->__x, 0)),
                                   small_bfloat_bits(small_element<F>(this->__x, 1))};
        return raw;
    }
    __AH_FN operator float2() const { return make_float2(get(0), get(1)); }
    __AH_FN operator double2() const
    {
        return make_double2(static_cast<double>(get(0)), static_cast<double>(get(1)));
    }

  private:
    __AH_FN float get(int i) const { return float_of_bits(small_element<F>(this->__x, i)); }
};
template <typename F, bool operators> struct small_readable4 : small_bits<typename F::storage4> {
};
template <typename F> struct small_readable4<F, true> : small_bits<typename F::storage4> {
    __AH_FN operator float4() const { return make_float4(get(0), get(1), get(2), get(3)); }
    __AH_FN operator double4() const
    {
        return make_double4(static_cast<double>(get(0)), static_cast<double>(get(1)),
                            static_cast<double>(get(2)), static_cast<double>(get(3)));
    }

  private:
    __AH_FN float get(int i) const { return float_of_bits(small_element<F>(this->__x, i)); }
};

/* With constructors from other types, if constructors. */
template <typename F, bool constructors, bool operators>
struct small_one : small_readable<F, operators> {
};
template <typename F, bool operators>
struct small_one<F, true, operators> : small_readable<F, operators> {
    small_one() = default;
    __AH_FN explicit small_one(const __half v)
    {
        this->__x = small_code<F>(small_word(static_cast<__half_raw>(v)));
    }
    __AH_FN explicit small_one(const __hip_bfloat16 v)
    {
        this->__x = small_code<F>(small_word(static_cast<__hip_bfloat16_raw>(v)));
    }
    __AH_FN explicit small_one(const double v) { this->__x = small_code<F>(small_word(v)); }
    __AH_FN explicit small_one(const float v) { this->__x = small_code<F>(small_word(v)); }
#define __AH_FROM(T)                                                                               \
    __AH_FN explicit small_one(const T v)                                                          \
    {                                                                                              \
        this->__x = small_code<F>(small_word(static_cast<float>(v)));                              \
    }
    __AH_FROM(short)
    __AH_FROM(unsigned short)
    __AH_FROM(int)
    __AH_FROM(unsigned int)
    __AH_FROM(long)
    __AH_FROM(unsigned long)
    __AH_FROM(long long)
    __AH_FROM(unsigned long long)
#undef __AH_FROM
};
template <typename F, bool constructors, bool operators>
struct small_two : small_readable2<F, operators> {
};
template <typename F, bool operators>
struct small_two<F, true, operators> : small_readable2<F, operators> {
    small_two() = default;
    __AH_FN explicit small_two(const __half2 v)
    {
        this->__x = small_codes<F>(small_word(static_cast<__half2_raw>(v)));
    }
    __AH_FN explicit small_two(const __hip_bfloat162 v)
    {
        this->__x = small_codes<F>(small_word(static_cast<__hip_bfloat162_raw>(v)));
    }
    __AH_FN explicit small_two(const double2 v) { this->__x = small_codes<F>(small_word(v)); }
    __AH_FN explicit small_two(const float2 v) { this->__x = small_codes<F>(small_word(v)); }
};
template <typename F, bool constructors, bool operators>
struct small_four : small_readable4<F, operators> {
};
template <typename F, bool operators>
struct small_four<F, true, operators> : small_readable4<F, operators> {
    small_four() = default;
    __AH_FN explicit small_four(const __half2 first, const __half2 second)
    {
        set(small_word(static_cast<__half2_raw>(F::high_first ? second : first)),
            small_word(static_cast<__half2_raw>(F::high_first ? first : second)));
    }
    __AH_FN explicit small_four(const __hip_bfloat162 first, const __hip_bfloat162 second)
    {
        set(small_word(static_cast<__hip_bfloat162_raw>(F::high_first ? second : first)),
            small_word(static_cast<__hip_bfloat162_raw>(F::high_first ? first : second)));
    }
    __AH_FN explicit small_four(const double4 v)
    {
        set(small_word(make_double2(v.x, v.y)), small_word(make_double2(v.z, v.w)));
    }
    __AH_FN explicit small_four(const float4 v)
    {
        set(small_word(make_float2(v.x, v.y)), small_word(make_float2(v.z, v.w)));
    }

  private:
    __AH_FN void set(small_words low, small_words high)
    {
        typedef typename F::storage4 storage;
        this->__x = static_cast<storage>(
            small_codes<F>(low) | static_cast<storage>(small_codes<F>(high)) << (2 * F::spacing));
    }
};
} // namespace __ah

#undef __AH_FN

/* The class that HIP calls name. */
#define __AH_SMALL(name, base, F, constructors, operators)                                         \
    struct name : __ah::base<F, constructors, operators> {                                         \
        using __ah::base<F, constructors, operators>::base;                                        \
        name() = default;                                                                          \
    };
#endif
#endif
