// One channel of colour with alpha.
#pragma once
#define COLOR2_H

struct color2 {
    float r;
    float a;
};

#define KILN_TYPE color2
#define KILN_ALL(x) color2(x, x)
#define KILN_NEGATED(p) color2(-p.r, -p.a)
#define KILN_INFIX(p, op, q) color2(p.r op q.r, p.a op q.a)
#define KILN_EQUAL(p, q) (p.r == q.r && p.a == q.a)
#define KILN_EACH1(f, p) color2(f(p.r), f(p.a))
#define KILN_EACH2(f, p, q) color2(f(p.r, q.r), f(p.a, q.a))
#define KILN_EACH3(f, p, q, s) color2(f(p.r, q.r, s.r), f(p.a, q.a, s.a))
#include "componentwise.h"
