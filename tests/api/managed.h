// What managed.hip and managed_other.hip share: a managed variable of the other translation unit,
// which only -fgpu-rdc lets others name.
#ifndef AH_TESTS_MANAGED_H
#define AH_TESTS_MANAGED_H

struct counters {
    int count;
    double sum;
    int table[4];
};

#ifdef RDC
extern __managed__ counters other_counters;
#endif
counters &other();
void launch_other(int n, hipStream_t stream); // adds n to each field of other_counters

#endif
