#pragma once

/// The body room in one include.
#include "polhode/body/inertia.h"
#include "polhode/body/mass_properties.h"
#include "polhode/body/mesh_integrals.h"
#include "polhode/body/shapes.h"
#include "polhode/body/surface.h"
