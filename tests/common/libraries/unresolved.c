/* A library that cannot be opened: it needs a function that nobody has. */
int ahtest_nobody_has_this(void);
int ahtest_first(void);

int ahtest_first(void)
{
    return ahtest_nobody_has_this();
}
