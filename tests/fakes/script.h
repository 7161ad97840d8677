/* The script of a fake driver, which both vendors' have: faults, counts of calls, launches and
 * violations. One library has one script. All of it may be called from any thread. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "fake.h"

/* Before the driver's first call. names: what can be counted and can fail. */
void script_open(const char *prefix, const char *const *names, size_t count);
/* A variable of the environment, with the prefix. */
const char *script_setting(const char *name);

/* A call of a row: counts it and returns what it is to fail with, 0: nothing. A name that is in
 * no row does not count. */
int script_call(const char *name);

void script_fail(const char *function, unsigned nth, int result);
void script_clear_faults(void);
bool script_has_faults(void);
void script_hook(const char *function, void (*hook)(void *data), void *data);
const char *script_function_at(size_t index);
unsigned script_calls(const char *function);

void script_violation(const char *text);
size_t script_violations(void);
const char *script_violation_at(size_t index);

void script_launch(const struct fake_launch *launch);
size_t script_launches(void);
bool script_launch_at(size_t index, struct fake_launch *out);
void script_forget(void);

/* The text of counts. Valid until the next call. */
const char *script_report(const struct fake_count *counts, size_t count);
/* At the end of the process, if the environment wants it. */
void script_write_report(const char *report);

#endif
