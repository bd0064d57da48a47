/* The polygons of PLY files, and their strips of triangles. */
#include "base/result.h"
#include "shape/files/ply_reader.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- faces ------------------------------------------------------------------------------------------------------- */

static lbPlyRole face_role(const lbPlyProperty* property) {
    bool isList = property->countType != lb_plyNone;
    if (isList && (strcmp(property->name, "vertex_indices") == 0 || strcmp(property->name, "vertex_index") == 0)) {
        return lb_plyIndices;
    }
    if (isList && strcmp(property->name, "texcoord") == 0) {
        return lb_plyCornerCoords;
    }
    return !isList && strcmp(property->name, "texnumber") == 0 ? lb_plyTexture : lb_plyIgnored;
}

static lbResult read_list(lbPlyReader* reader, const lbPlyProperty* property, lbNumberList* list) {
    int64_t length = 0;
    LB_TRY(lb_ply_length(reader, property, &length));
    list->count = 0;
    for (int64_t i = 0; i < length; ++i) {
        double value = 0;
        if (!lb_ply_value(reader, property->type, &value)) {
            return lb_ply_value_error(reader, property);
        }
        if (!LB_PUSH(reader->source->host, list, value)) {
            return lb_ply_out_of_memory(reader);
        }
    }
    return lb_success();
}

/* Texture coordinates of the face's own corners; there are two numbers for each. */
static lbResult add_corner_coords(lbPlyReader* reader, int* first) {
    *first = -1;
    if (reader->cornerCoords.count == 0) {
        return lb_success();
    }
    if (reader->cornerCoords.count != 2 * (int64_t)reader->indices.count) {
        lbResult words = lb_error(lb_errorFormat, "expected two values in 'texcoord' for each of %d corners, found %d",
                                  reader->indices.count, reader->cornerCoords.count);
        return lb_ply_error(reader, words.message);
    }
    *first = reader->surface.textureCoords.count / 2;
    for (int i = 0; i < reader->indices.count; ++i) {
        float u = (float)reader->cornerCoords.data[2 * i], v = (float)reader->cornerCoords.data[2 * i + 1];
        if (!isfinite(u) || !isfinite(v)) {
            return lb_ply_error(reader, "a texture coordinate is not a finite number");
        }
        if (!lb_add_texture_coord(&reader->surface, u, v)) {
            return lb_ply_out_of_memory(reader);
        }
    }
    return lb_success();
}

static lbResult add_face(lbPlyReader* reader, double texture) {
    int firstCoord = -1;
    LB_TRY(add_corner_coords(reader, &firstCoord));
    for (int i = 0; i < reader->indices.count; ++i) {
        double index = reader->indices.data[i];
        if (!(index >= 0 && index < INT_MAX) || index != floor(index)) {
            lbResult words = lb_error(lb_errorFormat, "expected point indices from 0, found %g", index);
            return lb_ply_error(reader, words.message);
        }
        int point = (int)index;
        int coord = firstCoord >= 0 ? firstCoord + i : reader->pointsHaveCoords ? point : -1;
        if (!lb_add_corner(&reader->surface, point, coord)) {
            return lb_ply_out_of_memory(reader);
        }
    }
    int materialCount = reader->surface.materials.count;
    int material = materialCount == 0 ? -1 : texture >= 0 && texture < materialCount ? (int)texture : 0;
    int place = lb_ply_is_text(reader) ? reader->scan.line : (int)(reader->item < INT_MAX ? reader->item : INT_MAX);
    return lb_end_polygon(&reader->surface, material, place) ? lb_success() : lb_ply_out_of_memory(reader);
}

static lbResult read_face(lbPlyReader* reader, const lbPlyRole* roles) {
    const lbPlyProperty* properties = reader->header.properties.data + reader->element->firstProperty;
    double texture = 0;
    lbResult result = lb_success();
    reader->indices.count = reader->cornerCoords.count = 0;
    for (int i = 0; i < reader->element->propertyCount; ++i) {
        const lbPlyProperty* property = &properties[i];
        if (roles[i] == lb_plyIndices) {
            result = read_list(reader, property, &reader->indices);
        } else if (roles[i] == lb_plyCornerCoords) {
            result = read_list(reader, property, &reader->cornerCoords);
        } else if (roles[i] == lb_plyTexture) {
            result =
                lb_ply_value(reader, property->type, &texture) ? lb_success() : lb_ply_value_error(reader, property);
        } else {
            result = lb_ply_skip(reader, property);
        }
        if (result.code != lb_ok) {
            return result;
        }
    }
    return add_face(reader, texture);
}

/* What each property is; false if none is a list of points. */
static bool find_roles(const lbPlyReader* reader, lbPlyRole* roles) {
    bool hasIndices = false;
    for (int i = 0; i < reader->element->propertyCount; ++i) {
        roles[i] = face_role(&reader->header.properties.data[reader->element->firstProperty + i]);
        hasIndices = hasIndices || roles[i] == lb_plyIndices;
    }
    return hasIndices;
}

static lbResult no_indices(const lbPlyReader* reader) {
    return lb_error(lb_errorFormat, "%s: expected a list 'vertex_indices' of element '%s' in the header",
                    reader->source->path, reader->element->name);
}

lbResult lb_read_ply_faces(lbPlyReader* reader, lbPlyRole* roles) {
    if (!find_roles(reader, roles)) {
        return no_indices(reader);
    }
    for (reader->item = 0; reader->item < reader->element->count; ++reader->item) {
        LB_TRY(read_face(reader, roles));
    }
    return lb_success();
}

/* ---- strips of triangles ----------------------------------------------------------------------------------------- */

/* Each point behind the second of a strip makes a triangle with the two before it, every other one turned round; -1
 * ends a strip. Those that use a point twice only lead from one part of a strip to the next. */
static lbResult add_strips(lbPlyReader* reader) {
    lbNumberList strip = reader->indices;
    int length = 0;
    lbResult result = lb_success();
    reader->indices = (lbNumberList){0};
    for (int i = 0; i < strip.count && result.code == lb_ok; ++i) {
        length = strip.data[i] == -1 ? 0 : length + 1;
        if (length < 3) {
            continue;
        }
        double a = strip.data[i - 2], b = strip.data[i - 1], c = strip.data[i];
        bool turned = length % 2 == 0;
        const double corners[3] = {turned ? b : a, turned ? a : b, c};
        reader->indices.count = 0;
        for (int k = 0; k < 3; ++k) {
            if (!LB_PUSH(reader->source->host, &reader->indices, corners[k])) {
                result = lb_ply_out_of_memory(reader);
            }
        }
        if (result.code == lb_ok && a != b && b != c && a != c) {
            result = add_face(reader, 0);
        }
    }
    LB_FREE_ARRAY(reader->source->host, &reader->indices);
    reader->indices = strip;
    return result;
}

lbResult lb_read_ply_strips(lbPlyReader* reader, lbPlyRole* roles) {
    const lbPlyProperty* properties = reader->header.properties.data + reader->element->firstProperty;
    if (!find_roles(reader, roles)) {
        return no_indices(reader);
    }
    for (reader->item = 0; reader->item < reader->element->count; ++reader->item) {
        reader->indices.count = reader->cornerCoords.count = 0;
        for (int i = 0; i < reader->element->propertyCount; ++i) {
            LB_TRY(roles[i] == lb_plyIndices ? read_list(reader, &properties[i], &reader->indices)
                                             : lb_ply_skip(reader, &properties[i]));
        }
        LB_TRY(add_strips(reader));
    }
    return lb_success();
}
