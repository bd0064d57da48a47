#include "mesh/files/abaqus.h"

#include "mesh/files/fields.h"

#include <string.h>

/* ---- Keyword lines ----------------------------------------------------------------------------------------------- */

lbAbaqusName lb_abaqus_name(lbWord word) {
    lbAbaqusName name = {{0}};
    size_t used = 0;
    for (size_t i = 0; i < word.length && used + 1 < sizeof(name.text); ++i) {
        char c = word.text[i];
        if (c != ' ' && c != '\t') {
            name.text[used++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        }
    }
    return name;
}

lbWord lb_without_quotes(lbWord word) {
    if (word.length >= 2 && word.text[0] == '"' && word.text[word.length - 1] == '"') {
        return (lbWord){word.text + 1, word.length - 2};
    }
    return word;
}

/* NAME or NAME=VALUE */
static void note_parameter(lbWord field, lbAbaqusParameters* parameters) {
    const char* equals = field.length > 0 ? memchr(field.text, '=', field.length) : NULL;
    size_t length = equals != NULL ? (size_t)(equals - field.text) : field.length;
    lbAbaqusName name = lb_abaqus_name((lbWord){field.text, length});
    lbWord value = {"", 0};
    if (equals != NULL) {
        lbTextScan scan = {equals + 1, field.text + field.length, 1};
        value = lb_without_quotes(lb_scan_rest(&scan));
    }
    const struct {
        const char* name;
        lbWord* value;
    } known[] = {{"TYPE", &parameters->type},         {"ELSET", &parameters->set},
                 {"NSET", &parameters->nodeSet},      {"INPUT", &parameters->input},
                 {"SYSTEM", &parameters->system},     {"NAME", &parameters->name},
                 {"MATERIAL", &parameters->material}, {"INSTANCE", &parameters->instance}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        if (strcmp(name.text, known[i].name) == 0) {
            *known[i].value = value;
        }
    }
    parameters->generate = parameters->generate || strcmp(name.text, "GENERATE") == 0;
}

lbAbaqusParameters lb_read_abaqus_parameters(lbTextScan* scan) {
    lbAbaqusParameters parameters = {0};
    lbWord field;
    for (;;) {
        bool comma = scan->at[-1] == ',';
        while (lb_next_field(scan, &field)) {
            note_parameter(field, &parameters);
            comma = scan->at[-1] == ',';
        }
        lbTextScan ahead = *scan;
        lb_skip_line(&ahead);
        if (!comma || ahead.at >= ahead.end || *ahead.at == '*') {
            return parameters;
        }
        *scan = ahead;
    }
}

/* ---- Element types ----------------------------------------------------------------------------------------------- */

/* C3D4, C3D10M, DC3D8 and the like: how many nodes stands behind "C3D". */
static lbAbaqusType solid_type(const char* name) {
    static const lbAbaqusType types[] = {{lb_cellTet, 4},        {lb_cellTet, 10},        {lb_cellPyramid, 5},
                                         {lb_cellPyramid, 13},   {lb_cellPrism, 6},       {lb_cellPrism, 15},
                                         {lb_cellHexahedron, 8}, {lb_cellHexahedron, 20}, {lb_cellHexahedron, 27}};
    const char* at = strstr(name, "C3D");
    int64_t count = 0;
    if (at == NULL || !lb_field_integer((lbWord){at + 3, strspn(at + 3, "0123456789")}, &count)) {
        return (lbAbaqusType){lb_cellUnknown, 0};
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (types[i].nodeCount == count) {
            lbAbaqusType type = types[i];
            type.nodeCount += strstr(at, "C3D15V") == at ? 3 : 0;
            return type;
        }
    }
    return (lbAbaqusType){lb_cellUnknown, 0};
}

/* What is passed over, by the beginning of its name. */
static lbCellKind other_kind(const char* name) {
    static const struct {
        const char* begins;
        lbCellKind kind;
    } kinds[] = {{"SPRING", lb_cellLine},  {"SC", lb_cellUnknown},   {"S", lb_cellSurface},    {"M3D", lb_cellSurface},
                 {"CP", lb_cellSurface},   {"CAX", lb_cellSurface},  {"R3D", lb_cellSurface},  {"DS", lb_cellSurface},
                 {"DC2D", lb_cellSurface}, {"AC2D", lb_cellSurface}, {"B", lb_cellLine},       {"T", lb_cellLine},
                 {"PIPE", lb_cellLine},    {"CONN", lb_cellLine},    {"GAP", lb_cellLine},     {"DASHPOT", lb_cellLine},
                 {"R2D", lb_cellLine},     {"MASS", lb_cellPoint},   {"ROTARYI", lb_cellPoint}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        if (strncmp(name, kinds[i].begins, strlen(kinds[i].begins)) == 0) {
            return kinds[i].kind;
        }
    }
    return lb_cellUnknown;
}

lbAbaqusType lb_abaqus_type(const char* name) {
    lbAbaqusType type = solid_type(name);
    return type.kind != lb_cellUnknown ? type : (lbAbaqusType){other_kind(name), 0};
}
