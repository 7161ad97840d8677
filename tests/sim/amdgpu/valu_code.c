/* Division and square roots as a compiler expands them; test_valu_division.c runs this code, and
 * relies on the order of the functions and on there being no others. */
float divide_f32(float a, float b)
{
    return a / b;
}
double divide_f64(double a, double b)
{
    return a / b;
}
_Float16 divide_f16(_Float16 a, _Float16 b)
{
    return a / b;
}
float root_f32(float a)
{
    return __builtin_sqrtf(a);
}
double root_f64(double a)
{
    return __builtin_sqrt(a);
}
_Float16 root_f16(_Float16 a)
{
    return __builtin_sqrtf16(a);
}
float inverse_f32(float a)
{
    return 1.0f / a;
}
unsigned divide_u32(unsigned a, unsigned b)
{
    return a / b;
}
int rest_i32(int a, int b)
{
    return a % b;
}
