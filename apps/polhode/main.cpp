#include "polhode/core/version.h"

#include <cstdio>

int main() { std::printf("polhode %s\n", polhode::version()); }
