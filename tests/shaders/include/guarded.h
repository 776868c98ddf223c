#ifndef GUARDED_H
#define GUARDED_H
float guarded(float x) { return 3 * x; }
#endif
