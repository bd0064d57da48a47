/* A model: what bodies are made from, baked once and shared by them. What is in it beside a surface belongs to its
 * kind, whose struct begins with an lbModel. Constant once made, but for its material. */
#ifndef LIMBER_SRC_MODEL_H
#define LIMBER_SRC_MODEL_H

#include "base/math.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "limber/body.h"
#include "limber/model.h"

struct lbBody;
struct lbSkinTopology;
struct lbCollisionShape;
typedef struct lbModel lbModel;

typedef struct lbModelOps {
    const char* kind; /* "dynamic", "rigid": for people */
    void (*destroy)(lbModel* model);
    lbResult (*createBody)(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                           struct lbBody** body);
    void (*describe)(const lbModel* model, lbModelInfo* info);
    /* What it was made from; the shape is its own. */
    lbModelDef (*define)(const lbModel* model);
    /* On failure the model is unchanged. */
    lbResult (*setMaterial)(lbModel* model, const lbMaterial* material);
    lbResult (*listEdges)(const lbModel* model, int* edges, int capacity, int* count);
    void (*listTets)(const lbModel* model, int* tets, int capacity, int* count); /* NULL: there are none */
} lbModelOps;

struct lbModel {
    const lbModelOps* ops;
    const lbHost* host;
    lbShape* shape;     /* what bodies show, in the model's own coordinates; NULL: nothing */
    int skinPointCount; /* of the shape */
    float* skinAreas;   /* (skinPointCount) m^2 of surface that a skin point stands for; 0: no triangle uses it */
    struct lbSkinTopology* topology;    /* of the skin, for contact; NULL: there is none */
    struct lbCollisionShape* collision; /* bodies collide by this; NULL: by their skin */
    bool isSheet;                       /* its surface is open: it has two sides, and no inside */
    float size;                         /* m, across at rest */
    float leastExtent;                  /* m, the least side of its box at rest */
    int userCount;                      /* bodies */
};

/* A definition for bodies of any kind. */
lbResult lb_create_model(const lbHost* host, const lbModelDef* def, lbModel** model);
static inline void lb_destroy_model(lbModel* model) {
    if (model != NULL) {
        model->ops->destroy(model);
    }
}

lbResult lb_check_material(const lbMaterial* material);

/* For kinds: takes the shape and what follows from it, and gives it back. */
lbResult lb_begin_model(lbModel* model, const lbModelOps* ops, const lbHost* host, lbShape* shape);
/* Another surface instead, which the model takes; before any body is made of it. */
lbResult lb_change_model_surface(lbModel* model, lbShape* shape);
void lb_end_model(lbModel* model);

#endif
