/* Names of functions as C++ has them, for messages. */
#ifndef AH_DEMANGLE_H
#define AH_DEMANGLE_H

/* Looks for a C++ runtime, whose demangler is used. It takes the loader's lock: called when a
 * library of ours starts, with no lock held, and otherwise by the first call of ah_demangle. */
void ah_demangle_prepare(void);

/* "add(float*)" of "_Z3addPf", and "add(float*)+0x54" of "_Z3addPf+0x54"; name itself where it is
 * no mangled name, where it is very long and where there is no C++ runtime. Valid until the next
 * call in this thread. */
const char *ah_demangle(const char *name);

#endif
