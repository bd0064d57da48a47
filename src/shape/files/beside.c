#include "shape/files/beside.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/result.h"

#include <string.h>

static bool is_slash(char c) {
    return c == '/' || c == '\\';
}

const char* lb_path_file(const char* path) {
    const char* file = path;
    for (const char* c = path; *c != 0; ++c) {
        if (is_slash(*c)) {
            file = c + 1;
        }
    }
    return file;
}

lbExtension lb_path_extension(const char* path) {
    lbExtension extension = {{0}};
    const char* dot = strrchr(lb_path_file(path), '.');
    if (dot != NULL && strlen(dot) < sizeof(extension.text)) {
        for (size_t i = 0; dot[i] != 0; ++i) {
            extension.text[i] = dot[i] >= 'A' && dot[i] <= 'Z' ? (char)(dot[i] - 'A' + 'a') : dot[i];
        }
    }
    return extension;
}

char* lb_path_beside(const lbHost* host, const char* path, const char* name) {
    size_t folder = is_slash(name[0]) ? 0 : (size_t)(lb_path_file(path) - path);
    size_t length = strlen(name);
    char* beside = lb_allocate(host, (int64_t)(folder + length) + 1, 1);
    if (beside != NULL) {
        memcpy(beside, path, folder);
        for (size_t i = 0; i < length; ++i) {
            beside[folder + i] = name[i] == '\\' ? '/' : name[i];
        }
    }
    return beside;
}

const char* lb_picture_extension(const unsigned char* bytes, size_t size) {
    if (size > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0) {
        return ".png";
    }
    if (size > 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) {
        return ".jpg";
    }
    return NULL;
}

static lbResult read_picture(const lbHost* host, const char* path, const char* name, lbBytes* bytes) {
    char* beside = lb_path_beside(host, path, name);
    if (beside == NULL) {
        return lb_out_of_memory("a texture's path");
    }
    lbResult result = lb_read_small_file(host, beside, lb_textureLimit, bytes);
    lb_release(host, beside);
    if (result.code == lb_ok && lb_picture_extension(bytes->data, bytes->size) == NULL) {
        lb_free_bytes(host, bytes);
        result = lb_error(lb_errorFormat, "%s: neither a PNG nor a JPEG picture", name);
    }
    return result;
}

void lb_load_texture(const lbHost* host, const char* path, lbShapeMaterial* material) {
    lbBytes bytes = {0};
    lbResult result = read_picture(host, path, material->texturePath, &bytes);
    const char* file = lb_path_file(material->texturePath);
    if (result.code != lb_ok && file != material->texturePath) { /* a path of another machine: look beside the shape */
        lbResult second = read_picture(host, path, file, &bytes);
        result = second.code == lb_ok ? second : result;
    }
    if (result.code != lb_ok) {
        lb_log(host, lb_logWarning, "%s: material '%s' goes without its texture: %s", path, material->name,
               result.message);
        return;
    }
    material->texture = bytes.data;
    material->textureSize = bytes.size;
}
