#!/usr/bin/python3
"""The polynomial of erf of include/hip/device/math/erf_f64.h."""
from mpmath import erf, erfc, log, mpf

from rational import error, fit, lines, spread

# log(erfc t) / t for t up to 5.93, of which the error counts as one of erf t
ts = spread(mpf(2) ** -20, mpf("5.93"), 300)
fs = [log(erfc(t)) / t for t in ts]
units = [erf(t) / (t * erfc(t)) for t in ts]
p, q = fit(ts, fs, 23, units=units)
print("/* erf, relative error 2^%.1f */" % error(ts, fs, p, units=units))
lines("p", p, "t")
