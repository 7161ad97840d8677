#!/usr/bin/python3
"""Quotients of polynomials of include/hip/device/math/erfinv_f64.h."""
from mpmath import erf, erfc, erfinv, exp, log, mp, mpf, sqrt

from rational import fit, lines, error, spread


def product(z): # (1 - x) (1 + x) for x = erf z
    return erfc(z) * (1 + erf(z))


def show(text, xs, fs, n, m):
    p, q = fit(xs, fs, n, m)
    print("/* %s, relative error 2^%.1f, all positive: %s */" %
          (text, error(xs, fs, p, q), min(p + q) > 0))
    lines("p", p, "r")
    lines("q", q, "r")


def near():
    """z / x as a function of r = 1 / sqrt(1 - x x) - 1, for |x| up to 0.999"""
    zs = spread(mpf(2) ** -30, erfinv(mpf("0.9991")), 400)
    show("near", [1 / sqrt(product(z)) - 1 for z in zs], [z / erf(z) for z in zs], 11, 11)


def tail(low, high, n, m):
    """z as a function of r = sqrt(-log(1 - x x)) - low"""
    zs = [exp(u) for u in spread(log(mpf(low) * mpf("0.88")), log(mpf(high)), 300)]
    show("from %g" % low, [sqrt(-log(product(z))) - low for z in zs], zs, n, m)


near()
tail(2.5, 5.25, 9, 9)
tail(5.25, 27.4, 9, 9)
