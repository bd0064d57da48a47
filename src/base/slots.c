#include "base/slots.h"

#include "base/assert.h"

int lb_slots_add(const lbHost* host, lbSlots* slots, void* item) {
    int index = 0;
    while (index < slots->count && slots->items[index] != NULL) {
        ++index;
    }
    if (index == slots->count) {
        int itemRoom = slots->capacity, generationRoom = slots->capacity;
        if (!lb_array_reserve(host, (void**)&slots->items, &itemRoom, index + 1, sizeof(void*)) ||
            !lb_array_reserve(host, (void**)&slots->generations, &generationRoom, index + 1, sizeof(uint32_t))) {
            return -1;
        }
        slots->capacity = itemRoom < generationRoom ? itemRoom : generationRoom;
        slots->generations[index] = 1;
        ++slots->count;
    }
    slots->items[index] = item;
    return index;
}

void lb_slots_remove(lbSlots* slots, int index) {
    LB_ASSERT(index >= 0 && index < slots->count && slots->items[index] != NULL);
    slots->items[index] = NULL;
    ++slots->generations[index];
}

void* lb_slots_find(const lbSlots* slots, int32_t index1, uint32_t generation) {
    if (index1 < 1 || index1 > slots->count || slots->generations[index1 - 1] != generation) {
        return NULL;
    }
    return slots->items[index1 - 1];
}

void lb_slots_destroy(const lbHost* host, lbSlots* slots) {
    lb_release(host, slots->items);
    lb_release(host, slots->generations);
    *slots = (lbSlots){0};
}
