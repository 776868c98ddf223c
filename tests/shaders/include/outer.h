#pragma once
#include "inner.h"
