/* Device code that wants a variable of somebody else. */
#define SEEN __attribute__((visibility("default")))
extern SEEN unsigned elsewhere;

SEEN __attribute__((amdgpu_kernel)) void read(__attribute__((address_space(1))) unsigned *out)
{
    *out = elsewhere;
}
