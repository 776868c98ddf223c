// A vector of four components, or a point in homogeneous coordinates.
#pragma once
#define VECTOR4_H

struct vector4 {
    float x;
    float y;
    float z;
    float w;
};

#define KILN_TYPE vector4
#define KILN_ALL(n) vector4(n, n, n, n)
#define KILN_NEGATED(p) vector4(-p.x, -p.y, -p.z, -p.w)
#define KILN_INFIX(p, op, q) vector4(p.x op q.x, p.y op q.y, p.z op q.z, p.w op q.w)
#define KILN_EQUAL(p, q) (p.x == q.x && p.y == q.y && p.z == q.z && p.w == q.w)
#define KILN_EACH1(f, p) vector4(f(p.x), f(p.y), f(p.z), f(p.w))
#define KILN_EACH2(f, p, q) vector4(f(p.x, q.x), f(p.y, q.y), f(p.z, q.z), f(p.w, q.w))
#define KILN_EACH3(f, p, q, s)                                                                       \
    vector4(f(p.x, q.x, s.x), f(p.y, q.y, s.y), f(p.z, q.z, s.z), f(p.w, q.w, s.w))
#include "componentwise.h"

vector vec4ToVec3(vector4 v) { return vector(v.x, v.y, v.z) / v.w; }
float dot(vector4 a, vector4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
float length(vector4 a) { return sqrt(dot(a, a)); }
vector4 normalize(vector4 a) { return a / length(a); }

// Row vectors multiply from the left.
#define KILN_COLUMN(i) (m[0][i] * p.x + m[1][i] * p.y + m[2][i] * p.z + m[3][i] * p.w)
vector4 transform(matrix m, vector4 p)
{
    return vector4(KILN_COLUMN(0), KILN_COLUMN(1), KILN_COLUMN(2), KILN_COLUMN(3));
}
#undef KILN_COLUMN
vector4 transform(string from, string to, vector4 p) { return transform(matrix(from, to), p); }
