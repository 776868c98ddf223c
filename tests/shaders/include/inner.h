#define TWICE(x) twice(x)
#define UNKNOWN_PLUS(x) (x + unknown)
float twice(float x) { return 2 * x; } float half(float x) { return "half"; }
