/* A library that lacks most of what its user asks for. */
int ahtest_first(void);

int ahtest_first(void)
{
    return 1;
}
