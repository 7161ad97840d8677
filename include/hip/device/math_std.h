/* C's names for float in std, where the C++ library puts none before GCC 14; clang's own headers
 * for HIP do. A using-declaration takes what is declared so far: prelude.h includes this for device
 * code, and hip_runtime.h again after <cmath>, for the host's functions. No include guard. */
namespace std
{
#define AH_MATH_F(name)        using ::name##f;
#define AH_MATH_FF(name)       using ::name##f;
#define AH_MATH_FI(name, kind) using ::name##f;
#define AH_MATH_TO(name, kind) using ::name##f;
#include "hip/device/math_names.def"
using ::fmaf;
using ::frexpf;
using ::modff;
using ::remquof;
} // namespace std
