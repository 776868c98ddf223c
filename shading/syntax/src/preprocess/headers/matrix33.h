// Matrices of three rows and columns: the upper left of a matrix whose rest is that of the identity.
#pragma once
#define MATRIX33_H

struct matrix33 {
    matrix m;
};

int isValidAs33(matrix m)
{
    return m[0][3] == 0 && m[1][3] == 0 && m[2][3] == 0 && m[3][0] == 0 && m[3][1] == 0 && m[3][2] == 0
        && m[3][3] == 1;
}

matrix matrix33To44(matrix33 a) { return a.m; }

matrix33 matrix44To33(matrix m)
{
    return matrix33(matrix(m[0][0], m[0][1], m[0][2], 0, m[1][0], m[1][1], m[1][2], 0, m[2][0], m[2][1], m[2][2], 0,
        0, 0, 0, 1));
}

#define KILN_OPERATOR(name, op)                                                                      \
    matrix33 __operator__##name##__(matrix33 a, matrix33 b) { return matrix33(a.m op b.m); }         \
    matrix33 __operator__##name##__(matrix33 a, int b) { return matrix33(a.m op b); }                \
    matrix33 __operator__##name##__(matrix33 a, float b) { return matrix33(a.m op b); }              \
    matrix33 __operator__##name##__(int a, matrix33 b) { return matrix33(a op b.m); }                \
    matrix33 __operator__##name##__(float a, matrix33 b) { return matrix33(a op b.m); }

matrix33 __operator__neg__(matrix33 a) { return matrix33(-a.m); }
KILN_OPERATOR(mul, *)
KILN_OPERATOR(div, /)
int __operator__eq__(matrix33 a, matrix33 b) { return a.m == b.m; }
int __operator__neq__(matrix33 a, matrix33 b) { return a.m != b.m; }
#undef KILN_OPERATOR

float determinant(matrix33 a) { return determinant(a.m); }
matrix33 transpose(matrix33 a) { return matrix33(transpose(a.m)); }
point transform(matrix33 a, point p) { return transform(a.m, p); }
vector transform(matrix33 a, vector v) { return transform(a.m, v); }
normal transform(matrix33 a, normal n) { return transform(a.m, n); }
