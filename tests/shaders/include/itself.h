#include "itself.h"
