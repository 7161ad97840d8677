"""Quotients of polynomials for the scripts beside this file, by the exchange algorithm of Remez, which
Sollya has for polynomials alone. Needs python3-mpmath.

fit(xs, fs, n, m) gives the quotient of degrees n and m whose relative error is least on the points xs, at
which the values are fs: the coefficients of both polynomials, of which the constant one below is 1.
With units the error is in these and not in fs.
lines(name, coefficients, argument) prints Horner's scheme as it stands in the headers."""
import math

from mpmath import lu_solve, matrix, mp, mpf

mp.prec = 180


def horner(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def spread(low, high, count):
    """Points between low and high, denser at the ends."""
    return [low + (high - low) * (1 - mp.cos(mp.pi * i / (count - 1))) / 2 for i in range(count)]


def equations(xs, fs, units, n, m, reference, below):
    """P and Q with P - f Q = +-e unit below at the points of the reference, by turns."""
    size = n + m + 2
    a, b = matrix(size, size), matrix(size, 1)
    for row, i in enumerate(reference):
        for j in range(n + 1):
            a[row, j] = xs[i] ** j
        for j in range(1, m + 1):
            a[row, n + j] = -fs[i] * xs[i] ** j
        a[row, size - 1] = (-1) ** row * below[i] * units[i]
        b[row] = fs[i]
    s = lu_solve(a, b)
    return [s[j] for j in range(n + 1)], [mpf(1)] + [s[n + j] for j in range(1, m + 1)], abs(s[size - 1])


def extrema(errors):
    """The largest error of each stretch of one sign."""
    found, i = [], 0
    while i < len(errors):
        j, at = i, i
        while j < len(errors) and (errors[j] > 0) == (errors[i] > 0):
            at = j if abs(errors[j]) > abs(errors[at]) else at
            j += 1
        found.append(at)
        i = j
    return found


def fit(xs, fs, n, m=0, units=None):
    units = units or fs
    size, last = n + m + 2, len(xs) - 1
    reference = [round(last * (1 - math.cos(math.pi * i / (size - 1))) / 2) for i in range(size)]
    below, best = [mpf(1)] * len(xs), None
    for turn in range(30):
        for _ in range(12 if turn == 0 else 4):
            p, q, e = equations(xs, fs, units, n, m, reference, below)
            below = [horner(q, x) for x in xs]
        errors = [(horner(p, x) / d - f) / unit for x, d, f, unit in zip(xs, below, fs, units)]
        worst = max(abs(error) for error in errors)
        if best is None or worst < best[0]:
            best = (worst, p, q)
        reference = extrema(errors)
        if worst < e * 1.01 or len(reference) < size:
            break
        while len(reference) > size:
            reference.pop(0 if abs(errors[reference[0]]) < abs(errors[reference[-1]]) else -1)
    return best[1], best[2]


def error(xs, fs, p, q=(1,), units=None):
    """As a power of two, with the coefficients rounded to doubles."""
    p, q = [[mpf(float(c)) for c in cs] for cs in (p, q)]
    return float(mp.log(max(abs((horner(p, x) / horner(q, x) - f) / unit)
                            for x, f, unit in zip(xs, fs, units or fs)), 2))


def literal(c):
    mantissa, exponent = float(c).hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return "%sp%s" % (mantissa, exponent)


def lines(name, coefficients, argument):
    print("    double %s = %s;" % (name, literal(coefficients[-1])))
    for c in reversed(coefficients[:-1]):
        print("    %s = fma_f64(%s, %s, %s);" % (name, name, argument, literal(c)))
