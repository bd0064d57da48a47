/* Objects behind handles: an index and a generation, so that a handle whose object is gone is recognised. */
#ifndef LIMBER_SRC_SLOTS_H
#define LIMBER_SRC_SLOTS_H

#include "base/memory.h"

typedef struct lbSlots {
    void** items;          /* (capacity) NULL where free; objects are walked in the order of their slots */
    uint32_t* generations; /* (capacity) raised when a slot is freed */
    int count;             /* slots in use or used before */
    int capacity;
} lbSlots;

/* Index of a free slot that now holds `item`, or -1 if there is no memory. */
int lb_slots_add(const lbHost* host, lbSlots* slots, void* item);
void lb_slots_remove(lbSlots* slots, int index);
/* The object of a handle, or NULL if it is null, foreign or gone. */
void* lb_slots_find(const lbSlots* slots, int32_t index1, uint32_t generation);
void lb_slots_destroy(const lbHost* host, lbSlots* slots);

/* Handle types differ, their fields do not. */
#define LB_FIND(slots, id) lb_slots_find((slots), (id).index1, (id).generation)
#define LB_MAKE_ID(type, slots, index) ((type){(index) + 1, (slots)->generations[index]})

/* Runs the statement that follows for each object, in the order of the slots. */
#define LB_FOR_EACH(type, item, slots)                                                                                 \
    for (int slot_##item = 0; slot_##item < (slots)->count; ++slot_##item)                                             \
        for (type* item = (slots)->items[slot_##item]; item != NULL; item = NULL)

#endif
