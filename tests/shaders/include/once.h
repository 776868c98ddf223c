#pragma once
float included_once(float x) { return x + INCLUDED_OFFSET; }
