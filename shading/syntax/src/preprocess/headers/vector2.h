// A vector of two components.
#pragma once
#define VECTOR2_H

struct vector2 {
    float x;
    float y;
};

#define KILN_TYPE vector2
#define KILN_ALL(n) vector2(n, n)
#define KILN_NEGATED(p) vector2(-p.x, -p.y)
#define KILN_INFIX(p, op, q) vector2(p.x op q.x, p.y op q.y)
#define KILN_EQUAL(p, q) (p.x == q.x && p.y == q.y)
#define KILN_EACH1(f, p) vector2(f(p.x), f(p.y))
#define KILN_EACH2(f, p, q) vector2(f(p.x, q.x), f(p.y, q.y))
#define KILN_EACH3(f, p, q, s) vector2(f(p.x, q.x, s.x), f(p.y, q.y, s.y))
#include "componentwise.h"

float dot(vector2 a, vector2 b) { return a.x * b.x + a.y * b.y; }
float length(vector2 a) { return hypot(a.x, a.y); }
vector2 normalize(vector2 a) { return a / length(a); }
vector2 mod(vector2 a, vector2 b) { return a - b * floor(a / b); }
