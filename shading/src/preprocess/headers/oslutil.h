// Functions of OSL's utility header.
#pragma once
#define OSLUTIL_H
