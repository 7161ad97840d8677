#!/usr/bin/python3
"""Polynomials of include/hip/device/math/bessel_f64.h."""
import math

from mpmath import besselj, besseljzero, bessely, besselyzero, cos, log, mp, mpf, pi, sin, sqrt

from rational import error, fit, lines, spread


LOW = 4.5, 5.25 # u = x x - this below the limits of second_kind


def show(text, argument, xs, fs, degree, units=None, raised=()):
    p, _ = fit(xs, fs, degree, units=units)
    for k in raised:
        p[k] = mpf(math.nextafter(math.nextafter(float(p[k]), math.inf), math.inf))
    print("/* %s, error 2^%.1f */" % (text, error(xs, fs, p, units=units)))
    lines("p", p, argument)


def two(text, value):
    """As a sum of two doubles"""
    high = float(value)
    print("/* %s: %s %s */" % (text, high.hex(), float(value - mpf(high)).hex()))


def first_kind(order, degree):
    """J / x^order over (s - z z) for the two zeros z below 8, s = x x, of t = 64 - s"""
    zeros = [besseljzero(order, k) for k in (1, 2)]
    ts, fs = spread(mpf(0), 64 - mpf(2) ** -30, 160), []
    for t in ts:
        s = 64 - t
        fs.append(besselj(order, sqrt(s)) / sqrt(s) ** order / ((s - zeros[0] ** 2) * (s - zeros[1] ** 2)))
    for z in zeros:
        two("z z of J%d" % order, z ** 2)
    # with two coefficients raised by two places j0(0) is exactly 1
    show("J%d below 8" % order, "t", ts, fs, degree, raised=(1, 2) if order == 0 else ())


def far(order, of_p, of_q):
    """P and Q of the functions from 8 on, w = 64 / (x x): P = 1 + w p, and Q / x = q / x"""
    ws, ps, qs = spread(mpf(2) ** -12, mpf(1), 160), [], []
    for w in ws:
        x = 8 / sqrt(w)
        turn = x - pi / 4 - order * pi / 2
        j, y, scale = besselj(order, x), bessely(order, x), sqrt(pi * x / 2)
        ps.append(((j * cos(turn) + y * sin(turn)) * scale - 1) / w)
        qs.append((y * cos(turn) - j * sin(turn)) * scale * x)
    show("P of order %d, absolute" % order, "w", ws, ps, of_p, [1 / w for w in ws])
    show("Q of order %d, absolute" % order, "w", ws, qs, of_q, [8 / sqrt(w) for w in ws])


def second_kind(order, limit, degrees):
    """Below limit 2 / pi ln(x / z) J + (s - z z) T(s) / x^order with the first zero z and s = x x; from
    there to 8 the function over x - z for the zeros between."""
    zeros = [z for z in (besselyzero(order, k) for k in (1, 2, 3)) if z < 8]
    ss, js, ts = spread(mpf(2) ** -20, mpf(limit) ** 2, 120), [], []
    for s in ss:
        x = sqrt(s)
        j = besselj(order, x)
        js.append(j / x ** order)
        ts.append((bessely(order, x) - 2 / pi * log(x / zeros[0]) * j) * x ** order / (s - zeros[0] ** 2))
    two("z of Y%d" % order, zeros[0])
    two("z z of Y%d" % order, zeros[0] ** 2)
    print("/* 1 / z of Y%d: %s */" % (order, float(1 / zeros[0]).hex()))
    us = [s - LOW[order] for s in ss]
    show("J%d below %g, absolute" % (order, limit), "u", us, js, degrees[0], [mpf(1)] * len(ss))
    show("T%d" % order, "u", us, ts, degrees[1])
    middle = (limit + 8) / 2
    xs, ys = spread(mpf(limit), mpf(8), 160), []
    for x in xs:
        y = bessely(order, x)
        for z in zeros[1:]:
            y /= x - z
        ys.append(y)
    for z in zeros[1:]:
        two("z of Y%d" % order, z)
    show("Y%d to 8, of x - %g" % (order, middle), "t", [x - middle for x in xs], ys, degrees[2])


if __name__ == "__main__":
    first_kind(0, 14)
    first_kind(1, 13)
    far(0, 10, 10)
    far(1, 10, 10)
    second_kind(0, 3.0, (12, 12, 23))
    second_kind(1, 3.25, (12, 12, 25))
