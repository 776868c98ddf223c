// A colour with alpha.
#pragma once
#define COLOR4_H

struct color4 {
    color rgb;
    float a;
};

#define KILN_TYPE color4
#define KILN_ALL(x) color4(color(x), x)
#define KILN_NEGATED(p) color4(-p.rgb, -p.a)
#define KILN_INFIX(p, op, q) color4(p.rgb op q.rgb, p.a op q.a)
#define KILN_EQUAL(p, q) (p.rgb == q.rgb && p.a == q.a)
#define KILN_EACH1(f, p) color4(f(p.rgb), f(p.a))
#define KILN_EACH2(f, p, q) color4(f(p.rgb, q.rgb), f(p.a, q.a))
#define KILN_EACH3(f, p, q, s) color4(f(p.rgb, q.rgb, s.rgb), f(p.a, q.a, s.a))
#include "componentwise.h"

color4 transformc(string from, string to, color4 c) { return color4(transformc(from, to, c.rgb), c.a); }
