/* A library that says it is LLVM of some version, and has none of its functions. */
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

__attribute__((visibility("default"))) void LLVMGetVersion(unsigned *major, unsigned *minor,
                                                           unsigned *patch)
{
    *major = FAKE_VERSION;
    *minor = 1;
    *patch = 0;
}
