#!/usr/bin/python3
"""Polynomials of include/hip/device/math/gamma_f64.h."""
from mpmath import euler, log, loggamma, mp, mpf, pi, sqrt

from rational import fit, lines, error, spread


def ratio(b):
    """ln Gamma(1 + b) / (b (b - 1)), at 0 and 1 its limits"""
    if b < mpf(2) ** -40:
        return +euler
    if abs(b - 1) < mpf(2) ** -40:
        return 1 - euler
    return loggamma(1 + b) / (b * (b - 1))


def stirling(w):
    """x times what Stirling's formula lacks, as a function of w = 1 / (x x)"""
    x = 1 / sqrt(w)
    if x > 1e4:
        return mpf(1) / 12 - w / 360 + w * w / 1260
    return (loggamma(x) - ((x - mpf(1) / 2) * log(x) - x + log(2 * pi) / 2)) * x


bs = spread(mpf(0), mpf(3), 220)
p, q = fit(bs, [ratio(b) for b in bs], 8, 8)
print("/* near, relative error 2^%.1f, all positive: %s */" %
      (error(bs, [ratio(b) for b in bs], p, q), min(p + q) > 0))
lines("p", p, "b")
lines("q", q, "b")

ws = spread(mpf(2) ** -60, mpf(1) / 16, 220)
p, q = fit(ws, [stirling(w) for w in ws], 7)
print("/* far, absolute error below 2^%.1f */" %
      (error(ws, [stirling(w) for w in ws], p, q) + float(mp.log(mpf(1) / 48, 2))))
lines("p", p, "w")
