/* The model of bodies that give way wherever they are touched: a precomputed response (bem/response.h), and its
 * surface. */
#ifndef LIMBER_SRC_COMPLIANT_MODEL_H
#define LIMBER_SRC_COMPLIANT_MODEL_H

#include "bem/response.h"
#include "bem/surface_energy.h"
#include "body/model.h"

typedef struct lbCompliantModel {
    lbModel base;
    lbResponse* data;
    lbEnergyTriangle* energies; /* (triangleCount) */
} lbCompliantModel;

lbResult lb_create_compliant_model(const lbHost* host, const lbModelDef* def, lbModel** model);

#endif
