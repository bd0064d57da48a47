/* limber: a real-time soft-body engine. This header brings in all of it.
 *
 * A shape is what a person sees; a model is what is simulated inside it, baked once; a body is a model with a state;
 * a world holds bodies and tools and advances them frame by frame. */
#ifndef LIMBER_LIMBER_H
#define LIMBER_LIMBER_H

#include "limber/base.h"
#include "limber/body.h"
#include "limber/collision.h"
#include "limber/contact.h"
#include "limber/describe.h"
#include "limber/elastostatic.h"
#include "limber/field.h"
#include "limber/haptics.h"
#include "limber/holds.h"
#include "limber/ids.h"
#include "limber/model.h"
#include "limber/record.h"
#include "limber/region.h"
#include "limber/response.h"
#include "limber/scene.h"
#include "limber/shape.h"
#include "limber/tet_mesh.h"
#include "limber/voxel.h"
#include "limber/world.h"

#endif
