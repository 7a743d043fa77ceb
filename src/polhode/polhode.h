#pragma once

/// All that a program needs which runs scenarios: docs/cpp.md.
#include "polhode/analysis/identify.h"
#include "polhode/analysis/root_locus.h"
#include "polhode/analysis/solve.h"
#include "polhode/body.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/rotation.h"
#include "polhode/run/peaks.h"
#include "polhode/run/simulate.h"
#include "polhode/run/simulator.h"
#include "polhode/run/sweep.h"
