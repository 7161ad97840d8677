/* A library with everything that its user asks for. */
int ahtest_first(void);
int ahtest_second(void);
int ahtest_second_v2(void);

int ahtest_first(void)
{
    return 1;
}
int ahtest_second(void)
{
    return 2;
}
int ahtest_second_v2(void)
{
    return 22;
}
