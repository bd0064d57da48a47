/* Whether the skins of a world's bodies cross each other or themselves. */
#include "contact/crossings.h"

#include "base/result.h"
#include "world/world.h"

static int list_surfaces(const lbWorld* world, lbCrossingSurface* surfaces, int* slots) {
    int count = 0;
    for (int slot = 0; slot < world->bodies.count; ++slot) {
        const lbWorldBody* owner = world->bodies.items[slot];
        const lbSkinTopology* topology = owner != NULL ? owner->body->model->topology : NULL;
        if (topology != NULL) {
            slots[count] = slot;
            surfaces[count++] = (lbCrossingSurface){owner->body->skinX, topology->triangles, topology->triangleCount};
        }
    }
    return count;
}

lbResult lbWorld_FindCrossings(const lbWorld* world, lbCrossing* crossings, int capacity, int* count) {
    lbCrossingSurface* surfaces = LB_NEW(world->host, lbCrossingSurface, world->bodies.count);
    int* slots = LB_NEW(world->host, int, world->bodies.count);
    lbCrossingPair* pairs = LB_NEW(world->host, lbCrossingPair, capacity > 0 ? capacity : 0);
    *count = 0;
    bool enough = surfaces != NULL && slots != NULL && pairs != NULL;
    if (enough) {
        int surfaceCount = list_surfaces(world, surfaces, slots);
        enough = lb_find_crossings(world->host, surfaces, surfaceCount, pairs, capacity, count);
    }
    for (int i = 0; enough && i < int_min(*count, capacity); ++i) {
        crossings[i] = (lbCrossing){.first = LB_MAKE_ID(lbBodyId, &world->bodies, slots[pairs[i].surfaces[0]]),
                                    .second = LB_MAKE_ID(lbBodyId, &world->bodies, slots[pairs[i].surfaces[1]]),
                                    .firstTriangle = pairs[i].triangles[0],
                                    .secondTriangle = pairs[i].triangles[1],
                                    .place = pairs[i].place};
    }
    lb_release(world->host, surfaces);
    lb_release(world->host, slots);
    lb_release(world->host, pairs);
    return enough ? lb_success() : lb_out_of_memory("a search for crossings");
}
