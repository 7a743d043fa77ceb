#pragma once

/// The rotation room in one include.
#include "polhode/rotation/attitude_motion.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/batch.h"
#include "polhode/rotation/chart.h"
#include "polhode/rotation/checks.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/euler_parameters.h"
#include "polhode/rotation/euler_sequence.h"
#include "polhode/rotation/frames.h"
#include "polhode/rotation/own_chart.h"
#include "polhode/rotation/rate_matrix_check.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/rotation/vector_charts.h"
