//! Formatting style: texts before and after.

use shading_format::format;

/// Checks the formatted text of `before`, and that it stays unchanged.
fn becomes(before: &str, after: &str) {
    let formatted = format("a.ksl", before).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(formatted, after);
    stays(after);
}

fn stays(text: &str) {
    let formatted = format("a.ksl", text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(formatted, text);
}

#[test]
fn white_space_within_lines() {
    becomes(
        "float f ( float a,float b ) { return - a*( b+1 )%2<<1 ; }\n",
        "float f(float a, float b) { return -a * (b + 1) % 2 << 1; }\n",
    );
    becomes(
        "int g(int a[ 3 ]){return !a[ 0 ]&&~a[1]||-a[2]- -1>- --a[0];}\n",
        "int g(int a[3]) { return !a[0] && ~a[1] || -a[2] - -1 > - --a[0]; }\n",
    );
    becomes(
        "float h(vector v){float a[2]={ 1,2 };v . x+=(float)a[0];return v.x?a [1]:( int )v.y;}\n",
        "float h(vector v) { float a[2] = {1, 2}; v.x += (float) a[0]; return v.x ? a[1] : (int) v.y; }\n",
    );
    becomes(
        "string t(){return \"a\"\"b\"  \"c\";}\n",
        "string t() { return \"a\" \"b\" \"c\"; }\n",
    );
    becomes(
        "surface s(output closure color c=0){c=make_closure < lambert > (N)*global_value<uv>;}\n",
        "surface s(output closure color c = 0) { c = make_closure<lambert>(N) * global_value<uv>; }\n",
    );
    becomes(
        "shader m(float a=1[[string help=\"x\",float min=-1]]<<<>>>){}\n",
        "shader m(float a = 1 [[ string help = \"x\", float min = -1 ]] <<< >>>) {}\n",
    );
}

#[test]
fn statements_have_lines_of_their_own() {
    becomes(
        "shader s(output float r=0){\nint i=0;r=1;if(i)\n{r=2;}\nelse if(r){\nr=3;}else\nr=4;\n\n\n\ndo\n{i++;\n}\nwhile(i<3);for(;;)break;}\n",
        "shader s(output float r = 0)
{
    int i = 0;
    r = 1;
    if (i) { r = 2; }
    else if (r) {
        r = 3;
    } else
        r = 4;

    do {
        i++;
    } while (i < 3);
    for (;;) break;
}
",
    );
    becomes(
        "struct S{\nfloat a;color b[2]; };\nfloat f(){\nfloat g(float x)\n{\nreturn x;}\nif(1)if(2)\ng(1);else\ng(2);\n}\n",
        "struct S {
    float a;
    color b[2];
};
float f()
{
    float g(float x) {
        return x;
    }
    if (1) if (2)
        g(1);
    else
        g(2);
}
",
    );
}

#[test]
fn comments_stay_at_their_places() {
    becomes(
        "// head\n\n\n/* a\n   b */\nshader s( // first\nfloat a=1, /* inside */ float b=2 // last\n)\n{ // open\n  // own\n      float c=1;   // one\nfloat dd=2;  // two\n             // and more\n    /* before */ c = 2;\nif(c) // why\n{\nc=1;\n// at the end\n}\n}\n// tail",
        "// head

/* a
   b */
shader s( // first
    float a = 1, /* inside */ float b = 2 // last
)
{ // open
    // own
    float c = 1;  // one
    float dd = 2; // two
                  // and more
    /* before */ c = 2;
    if (c) // why
    {
        c = 1;
        // at the end
    }
}
// tail
",
    );
    becomes(
        "shader s()\n{\n  /* a\n     b\n   */\n  float x = 1;\n}\n",
        "shader s()\n{\n    /* a\n       b\n     */\n    float x = 1;\n}\n",
    );
}

#[test]
fn columns_stay_aligned() {
    stays(
        "shader s\n[[ string example = \"one(); \"\n                    \"two();\" ]]\n(\n    float x = 0)\n{\n}\n",
    );
    stays(
        "shader s
[[ string help = \"x\" ]]
(
    float a = 1     [[ string help = \"one\" ]],
    float bcd = 0.5 [[ string help = \"two\" ]],
    float longer_than_the_column = 1 [[ string help = \"three\" ]],
    output color c = 0)
{
}
",
    );
    // A line next to an aligned column joins it; a single request for alignment gets one space.
    becomes(
        "shader s(\n    float a=1     [[ int x = 1 ]],\n    float bc=2    [[ int x = 1 ]],\n    float d = 3  [[ int x = 1 ]],\n    float e = 3)\n{\n    float  x = 1;\n    x = 2;\n}\n",
        "shader s(\n    float a = 1   [[ int x = 1 ]],\n    float bc = 2  [[ int x = 1 ]],\n    float d = 3   [[ int x = 1 ]],\n    float e = 3)\n{\n    float x = 1;\n    x = 2;\n}\n",
    );
    stays(
        "film            { size = (9, 9); }
camera   main   : perspective { from = (0, 1, 4); }
material floor  = matte(albedo = 0.5);
shape    ground : plane { size = 3; material = floor; }
",
    );
    stays(
        "shape a : sphere { radius = 1;    center = (0, 0, 0); }
shape b : sphere { radius = 0.25; center = (0, 1, 0); }
",
    );
    becomes(
        "shape ab : cube { }\nshape abc: cube { size = 1; }\nshape a  : cube {}\n",
        "shape ab  : cube { }\nshape abc : cube { size = 1; }\nshape a   : cube { }\n",
    );
}

#[test]
fn arguments_hang_or_are_aligned() {
    stays(
        "float f(float a)
{
    return clamp(a, 0,
                 1) + min(
                     a, 1)
        + max(a,
            2);
}
",
    );
    becomes(
        "group g(output closure color s)\n{\n  matte   a(albedo=1,\n            n=N);\n  plastic bc(albedo=2)\nwith{P=a.p;}\n;\n  s=bc.surface;\n}\n",
        "group g(output closure color s)
{
    matte   a(albedo = 1,
              n = N);
    plastic bc(albedo = 2)
        with { P = a.p; };
    s = bc.surface;
}
",
    );
}

#[test]
fn long_lines_of_code_are_broken() {
    becomes(
        "float f(float aaaaaaaaaaaaaaaa, float bbbbbbbbbbbbbbbbbb, float cccccccccccccccccc)\n{\n    return aaaaaaaaaaaaaaaa * bbbbbbbbbbbbbbbbbb + max(aaaaaaaaaaaaaaaa, cccccccccccccccccc) + min(bbbbbbbbbbbbbbbbbb, cccccccccccccccccc);\n}\n",
        "float f(float aaaaaaaaaaaaaaaa, float bbbbbbbbbbbbbbbbbb, float cccccccccccccccccc)
{
    return aaaaaaaaaaaaaaaa * bbbbbbbbbbbbbbbbbb + max(aaaaaaaaaaaaaaaa, cccccccccccccccccc)
        + min(bbbbbbbbbbbbbbbbbb, cccccccccccccccccc);
}
",
    );
    // Lines after the break are joined.
    becomes(
        "color f()\n{\n    return texture(\"a_name_of_an_image.exr\", u + 0.123456, v + 0.123456, \"swrap\", \"periodic\", \"twrap\", \"periodic\", \"interp\", \"linear\",\n        \"fill\", 1);\n}\n",
        "color f()
{
    return texture(\"a_name_of_an_image.exr\", u + 0.123456, v + 0.123456, \"swrap\", \"periodic\", \"twrap\", \"periodic\",
        \"interp\", \"linear\", \"fill\", 1);
}
",
    );
}

#[test]
fn lines_of_the_preprocessor_stay() {
    becomes(
        "#define  TWICE( x )   ((x)*2) \\\n   +0\n  #if  A\nfloat f(float a){\n#else\nfloat f( int a ) {\n# endif  // A\nDECLARE( a )\nSTATEMENT( a,b )\nfloat  x=TWICE( a );\nreturn x ;}\n",
        "#define  TWICE( x )   ((x)*2) \\\n   +0\n  #if  A\nfloat f(float a)\n{\n#else\nfloat f(int a)\n{\n# endif  // A\n    DECLARE(a)\n    STATEMENT(a, b)\n    float x = TWICE(a);\n    return x;\n}\n",
    );
}
