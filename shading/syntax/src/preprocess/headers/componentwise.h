// Component-wise operators and functions of a structure. A header that includes this defines the structure by macros:
// KILN_TYPE is its name, KILN_ALL(x) a value with all components x, KILN_EACH1(f, a) etc. a value made by applying f to
// the components of a, KILN_INFIX(a, op, b) a value made by an operator, KILN_EQUAL(a, b) a test of all components.

KILN_TYPE __operator__neg__(KILN_TYPE a) { return KILN_NEGATED(a); }

#define KILN_OPERATOR(name, op)                                                                      \
    KILN_TYPE __operator__##name##__(KILN_TYPE a, KILN_TYPE b) { return KILN_INFIX(a, op, b); }      \
    KILN_TYPE __operator__##name##__(int a, KILN_TYPE b) { return KILN_ALL(a) op b; }                \
    KILN_TYPE __operator__##name##__(float a, KILN_TYPE b) { return KILN_ALL(a) op b; }

KILN_OPERATOR(add, +)
KILN_OPERATOR(sub, -)
KILN_OPERATOR(mul, *)
KILN_OPERATOR(div, /)

#define KILN_BY_NUMBER(name, op)                                                                     \
    KILN_TYPE __operator__##name##__(KILN_TYPE a, int b) { return a op KILN_ALL(b); }                \
    KILN_TYPE __operator__##name##__(KILN_TYPE a, float b) { return a op KILN_ALL(b); }

KILN_BY_NUMBER(add, +)
KILN_BY_NUMBER(sub, -)
KILN_BY_NUMBER(mul, *)

// OSL multiplies by the inverse, which rounds differently than a division.
KILN_TYPE __operator__div__(KILN_TYPE a, int b) { return a * (1.0 / (float)b); }
KILN_TYPE __operator__div__(KILN_TYPE a, float b) { return a * (1.0 / b); }

int __operator__eq__(KILN_TYPE a, KILN_TYPE b) { return KILN_EQUAL(a, b); }
int __operator__neq__(KILN_TYPE a, KILN_TYPE b) { return !KILN_EQUAL(a, b); }

#define KILN_FUNCTION1(f) KILN_TYPE f(KILN_TYPE a) { return KILN_EACH1(f, a); }
#define KILN_FUNCTION2(f)                                                                            \
    KILN_TYPE f(KILN_TYPE a, KILN_TYPE b) { return KILN_EACH2(f, a, b); }                            \
    KILN_TYPE f(KILN_TYPE a, float b) { return f(a, KILN_ALL(b)); }

KILN_FUNCTION1(abs)
KILN_FUNCTION1(ceil)
KILN_FUNCTION1(floor)
KILN_FUNCTION1(sqrt)
KILN_FUNCTION1(exp)
KILN_FUNCTION1(log)
KILN_FUNCTION1(log2)
KILN_FUNCTION1(sign)
KILN_FUNCTION1(sin)
KILN_FUNCTION1(cos)
KILN_FUNCTION1(tan)
KILN_FUNCTION1(asin)
KILN_FUNCTION1(acos)
KILN_FUNCTION2(min)
KILN_FUNCTION2(max)
KILN_FUNCTION2(fmod)
KILN_FUNCTION2(pow)
KILN_FUNCTION2(atan2)

KILN_TYPE fmod(KILN_TYPE a, int b) { return fmod(a, KILN_ALL(b)); }

KILN_TYPE mix(KILN_TYPE a, KILN_TYPE b, float x)
{
    KILN_TYPE xs = KILN_ALL(x);
    return KILN_EACH3(mix, a, b, xs);
}

KILN_TYPE clamp(KILN_TYPE a, KILN_TYPE low, KILN_TYPE high) { return KILN_EACH3(clamp, a, low, high); }
KILN_TYPE clamp(KILN_TYPE a, float low, float high) { return clamp(a, KILN_ALL(low), KILN_ALL(high)); }
KILN_TYPE smoothstep(KILN_TYPE low, KILN_TYPE high, KILN_TYPE a) { return KILN_EACH3(smoothstep, low, high, a); }
KILN_TYPE smoothstep(float low, float high, KILN_TYPE a) { return smoothstep(KILN_ALL(low), KILN_ALL(high), a); }

#undef KILN_OPERATOR
#undef KILN_BY_NUMBER
#undef KILN_FUNCTION1
#undef KILN_FUNCTION2
#undef KILN_TYPE
#undef KILN_ALL
#undef KILN_NEGATED
#undef KILN_INFIX
#undef KILN_EQUAL
#undef KILN_EACH1
#undef KILN_EACH2
#undef KILN_EACH3
