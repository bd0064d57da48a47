#include "server/matter.h"

#include <string.h>

/* Values at room temperature and slow, small strains. What is nearly incompressible (0.49 and more) is given 0.45 to
 * 0.48, which standard elements bear without locking (docs/incompressible.md). Sheets are 1 mm thick: a stretch of 1
 * kN/m is 1 MPa. Damping is not measured but chosen: as long as such things are seen to wobble. */
static const lbMatterPreset matters[] = {
    {"jelly", "Jelly", "Table jelly, one part of gelatin in 15 of water: it trembles",
     "gelatin in water: 277 kPa at 1:2, 4.3 kPa at 1:20, a power law between, 7 kPa at 1:15 (Bonavia 2025, arXiv "
     "2512.20502)",
     1020, 7000, 0.45, 0.004, 0.3, false, false, "#e8386d"},
    {"flesh", "Flesh", "Muscle at rest", "relaxed skeletal muscle: 10 to 30 kPa (Wells, Liang 2011)", 1060, 20000, 0.45,
     0.006, 0.6, false, false, "#c4655a"},
    {"liver", "Liver", "A soft organ", "healthy liver: 0.5 to 6 kPa (Wells, Liang 2011)", 1050, 5000, 0.45, 0.008, 0.6,
     false, false, "#8d3b36"},
    {"silicone", "Soft silicone", "Casting silicone, Shore 00-30",
     "Ecoflex 00-30, maker's data sheet: 69 kPa at 100 % strain, 1070 kg/m^3", 1070, 69000, 0.47, 0.003, 0.3, false,
     false, "#cfd6da"},
    {"rubber", "Rubber", "Natural rubber: it bounces",
     "natural rubber: 1.5 to 2.5 MPa, 930 kg/m^3 (Ashby, Materials Selection in Mechanical Design)", 930, 1800000, 0.48,
     0.0008, 0.1, false, false, "#3d4450"},
    {"foam", "Foam", "Flexible foam of low density: light, and it does not bulge",
     "flexible polymer foam, very low density: 16 to 35 kg/m^3, 0.25 to 1 MPa, 0.23 to 0.33 (Ashby)", 25, 300000, 0.27,
     0.004, 1, false, false, "#f2c94c"},
    {"cork", "Cork", "It yields without growing wider",
     "cork: 120 to 240 kg/m^3, 13 to 50 MPa; Poisson's ratio near 0 (Gibson, Ashby, Cellular Solids)", 170, 20000000,
     0.05, 0.0006, 0.5, false, false, "#b88a5a"},
    {"wood", "Oak", "A rigid body of wood", "oak, along the grain: 650 to 750 kg/m^3, 12 GPa (Ashby): rigid here", 700,
     12e9, 0.3, 0, 0, false, true, "#b98a52"},
    {"steel", "Steel", "A rigid body of steel", "low-alloy steel: 7850 kg/m^3, 205 GPa (Ashby): rigid here", 7850,
     205e9, 0.29, 0, 0, false, true, "#9aa3ad"},
    {"polyester", "Light polyester", "As of a running shirt: thin and supple",
     "113 g/m^2, 0.17 kN/m, measured on \"Tango Red Jet Set\" (Wang, O'Brien, Ramamoorthi 2011)", 113, 171000, 0.3,
     0.0004, 0.2, true, false, "#d9c7e8"},
    {"cotton", "Cotton knit", "As of a T-shirt: it stretches under its own weight",
     "187 g/m^2, 0.034 kN/m, measured on \"Gray Interlock\" (Wang, O'Brien, Ramamoorthi 2011)", 187, 34500, 0.3, 0.0006,
     0.3, true, false, "#e8e4da"},
    {"denim", "Denim", "Heavy and stiff",
     "324 g/m^2, 0.21 kN/m along the weft and 1.01 along the warp (here: their geometric mean), measured on \"11oz "
     "Black "
     "Denim\" (Wang, O'Brien, Ramamoorthi 2011)",
     324, 456000, 0.3, 0.0008, 0.3, true, false, "#3b5b8c"},
    {"sheet-rubber", "Rubber sheet", "Latex: it stretches far", "latex of 1 mm: 930 g/m^2, 1 MPa (Ashby)", 930, 1000000,
     0.45, 0.0006, 0.2, true, false, "#d9b36b"},
};

int lb_matter_count(void) {
    return (int)(sizeof(matters) / sizeof(matters[0]));
}

const lbMatterPreset* lb_matter_at(int index) {
    return index >= 0 && index < lb_matter_count() ? &matters[index] : NULL;
}

const lbMatterPreset* lb_find_matter(const char* name) {
    for (int i = 0; i < lb_matter_count(); ++i) {
        if (strcmp(matters[i].name, name) == 0) {
            return &matters[i];
        }
    }
    return NULL;
}

bool lb_matter_wants_implicit(const lbMatterPreset* matter) {
    return !matter->rigid && matter->youngsModulus / matter->density > 100;
}
