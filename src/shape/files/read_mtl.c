#include "shape/files/read_mtl.h"

#include "base/result.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "shape/files/beside.h"
#include "shape/files/srgb.h"

/* Numbers behind a keyword, each from 0 to 1. */
static lbResult read_shares(lbTextScan* scan, const char* path, float* values, int count) {
    for (int i = 0; i < count; ++i) {
        float value = 0;
        if (i > 0 && lb_at_line_end(scan)) { /* "Kd r" alone is a grey */
            values[i] = values[0];
            continue;
        }
        if (!lb_scan_float(scan, &value)) {
            return lb_scan_error(scan, path, "a number from 0 to 1");
        }
        values[i] = (float)clamp_to_unit((double)value);
    }
    return lb_success();
}

/* "-s 1 1 1 -clamp on" and the like, which may stand before a texture's name. */
static void skip_options(lbTextScan* scan) {
    for (;;) {
        lb_skip_blanks(scan);
        if (scan->at >= scan->end || *scan->at != '-') {
            return;
        }
        lb_scan_word(scan);
        for (;;) {
            lbTextScan before = *scan;
            double number = 0;
            if (lb_scan_number(scan, &number)) {
                continue;
            }
            lbWord word = lb_scan_word(scan);
            if (!lb_word_is(word, "on") && !lb_word_is(word, "off")) {
                *scan = before;
                break;
            }
        }
    }
}

static lbResult read_texture(const lbShapeSource* source, lbTextScan* scan, lbShapeMaterial* material) {
    const lbHost* host = source->host;
    skip_options(scan);
    lbWord name = lb_scan_rest(scan);
    if (name.length == 0) {
        return lb_scan_error(scan, source->path, "a texture's file name");
    }
    char* path = lb_copy_text(host, name.text, name.length);
    if (path == NULL) {
        return lb_out_of_memory("a texture's name");
    }
    lb_release(host, (void*)material->texturePath);
    lb_release(host, (void*)material->texture);
    material->texturePath = path;
    material->texture = NULL, material->textureSize = 0;
    if (!source->alone) {
        lb_load_texture(host, source->path, material);
    }
    return lb_success();
}

static lbResult read_statement(const lbShapeSource* source, lbTextScan* scan, lbWord keyword, bool* hasColor,
                               lbShapeMaterial* material) {
    float transparency = 0;
    if (lb_word_is(keyword, "Kd")) {
        lbTextScan ahead = *scan;
        lbWord kind = lb_scan_word(&ahead);
        if (lb_word_is(kind, "spectral") || lb_word_is(kind, "xyz")) {
            return lb_success();
        }
        *hasColor = true;
        return read_shares(scan, source->path, material->baseColor, 3);
    }
    if (lb_word_is(keyword, "d")) {
        return read_shares(scan, source->path, &material->baseColor[3], 1);
    }
    if (lb_word_is(keyword, "Tr")) {
        LB_TRY(read_shares(scan, source->path, &transparency, 1));
        material->baseColor[3] = 1 - transparency;
        return lb_success();
    }
    if (lb_word_is(keyword, "Pm")) {
        return read_shares(scan, source->path, &material->metallic, 1);
    }
    if (lb_word_is(keyword, "Pr")) {
        return read_shares(scan, source->path, &material->roughness, 1);
    }
    if (lb_word_is_any_case(keyword, "map_Kd")) {
        if (!*hasColor) { /* the texture alone says the colour */
            material->baseColor[0] = material->baseColor[1] = material->baseColor[2] = 1;
        }
        return read_texture(source, scan, material);
    }
    return lb_success();
}

lbResult lb_parse_mtl(const lbShapeSource* source, lbSurfaceBuilder* builder) {
    lbTextScan scan = lb_scan_text(source->bytes, source->size);
    int current = -1;
    bool hasColor = false;
    for (; scan.at < scan.end; lb_skip_line(&scan)) {
        lbWord keyword = lb_scan_word(&scan);
        if (lb_word_is(keyword, "newmtl")) {
            lbWord name = lb_scan_rest(&scan);
            if (builder->materials.count >= LB_MOST_MATERIALS) {
                return lb_scan_error(&scan, source->path, "at most 4096 materials");
            }
            current = lb_add_material(builder, name.text, name.length);
            hasColor = false;
            if (current < 0) {
                return lb_out_of_memory("a material");
            }
        } else if (current >= 0 && keyword.length > 0) {
            LB_TRY(read_statement(source, &scan, keyword, &hasColor, &builder->materials.data[current]));
        }
    }
    return lb_success();
}
