#pragma once

/// Exact motions of one rigid body: all of the room.
#include "polhode/motion/forced.h"
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"
#include "polhode/motion/state.h"
