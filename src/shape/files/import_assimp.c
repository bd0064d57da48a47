/* glTF and many other formats, by Assimp: the only file that knows of it.
 *
 * Assimp 5.2 keeps the order of a glTF mesh's vertices, unused ones included, and its v is upwards already. It splits a
 * mesh into one for each primitive, each with all vertices again: those are put together again here. It numbers
 * materials as they are met from the leaves of the scene upwards, and forgets those no mesh uses: here they are in the
 * order in which the scene, from its root, uses them. */
#include "base/log.h"
#include "base/result.h"
#include "base/text.h"
#include "shape/files/shape_files.h"

#if defined(LB_WITH_ASSIMP)

#include "base/math.h"
#include "shape/files/beside.h"
#include "shape/files/surface_builder.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdlib.h>
#include <string.h>

enum { mostBytes = 1 << 30, mostPoints = 100000000, deepestNode = 1000 };

/* Where a mesh's vertices are in the surface. */
typedef struct lbPlaced {
    const struct aiMesh* mesh;
    int firstPoint, firstCoord;
} lbPlaced;

typedef struct lbAssimpImport {
    const lbHost* host;
    const char* path;
    const struct aiScene* scene;
    lbSurfaceBuilder surface;
    int* materials;            /* (scene->mNumMaterials) number in the surface; -1: not met yet */
    LB_ARRAY(lbPlaced) placed; /* of the node at hand */
} lbAssimpImport;

static lbResult out_of_memory(const lbAssimpImport* import) {
    return lb_error(lb_errorMemory, "%s: out of memory", import->path);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

/* What Assimp gives to glTF meshes that have no material: no name, no texture, all factors 1. */
static bool is_no_material(const lbAssimpImport* import, unsigned index, const lbShapeMaterial* material) {
    const float* color = material->baseColor;
    return index + 1 == import->scene->mNumMaterials && material->name[0] == 0 && material->texturePath[0] == 0 &&
           color[0] == 1 && color[1] == 1 && color[2] == 1 && color[3] == 1 && material->metallic == 1 &&
           material->roughness == 1;
}

/* aiGetMaterialFloat is inline in Assimp's header without a definition to link with: it is there only when optimised.
 */
static void read_factor(const struct aiMaterial* from, const char* key, unsigned type, unsigned index, float* factor) {
    ai_real found = 0;
    if (aiGetMaterialFloatArray(from, key, type, index, &found, NULL) == aiReturn_SUCCESS) {
        *factor = found;
    }
}

static void read_factors(const struct aiMaterial* from, lbShapeMaterial* material) {
    struct aiColor4D color;
    if (aiGetMaterialColor(from, AI_MATKEY_BASE_COLOR, &color) == aiReturn_SUCCESS) {
        memcpy(material->baseColor, (float[4]){color.r, color.g, color.b, color.a}, sizeof(material->baseColor));
    } else if (aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS) {
        memcpy(material->baseColor, (float[3]){color.r, color.g, color.b}, 3 * sizeof(float));
        read_factor(from, AI_MATKEY_OPACITY, &material->baseColor[3]);
    }
    read_factor(from, AI_MATKEY_METALLIC_FACTOR, &material->metallic);
    read_factor(from, AI_MATKEY_ROUGHNESS_FACTOR, &material->roughness);
}

/* A texture that is in the file itself: "*3", or by its name. NULL if there is none. */
static const struct aiTexture* embedded_texture(const struct aiScene* scene, const char* path) {
    if (path[0] == '*') {
        long number = strtol(path + 1, NULL, 10);
        return number >= 0 && number < (long)scene->mNumTextures ? scene->mTextures[number] : NULL;
    }
    for (unsigned i = 0; i < scene->mNumTextures; ++i) {
        const char* name = scene->mTextures[i]->mFilename.data;
        if (name[0] != 0 && strcmp(lb_path_file(name), lb_path_file(path)) == 0) {
            return scene->mTextures[i];
        }
    }
    return NULL;
}

/* mHeight of 0 says that the bytes are those of a picture file. */
static bool take_embedded(lbAssimpImport* import, const struct aiTexture* texture, lbShapeMaterial* material) {
    const unsigned char* bytes = (const unsigned char*)texture->pcData;
    const char* kind = texture->mHeight == 0 && bytes != NULL ? lb_picture_extension(bytes, texture->mWidth) : NULL;
    if (kind == NULL) {
        lb_log(import->host, lb_logWarning,
               "%s: material '%s' goes without its texture: neither a PNG nor a JPEG picture", import->path,
               material->name);
        return true;
    }
    const char* name = texture->mFilename.data;
    size_t length = strlen(name);
    bool hasEnding = length == 0 || strchr(lb_path_file(name), '.') != NULL;
    char* path = lb_allocate(import->host, (int64_t)length + 8, 1);
    unsigned char* copy = lb_allocate(import->host, texture->mWidth, 1);
    if (path == NULL || copy == NULL) {
        lb_release(import->host, path);
        lb_release(import->host, copy);
        return false;
    }
    memcpy(path, name, length);
    memcpy(path + length, kind, hasEnding ? 0 : strlen(kind));
    memcpy(copy, bytes, texture->mWidth);
    lb_release(import->host, (void*)material->texturePath);
    material->texturePath = path;
    material->texture = copy;
    material->textureSize = texture->mWidth;
    return true;
}

static bool read_texture(lbAssimpImport* import, const struct aiMaterial* from, lbShapeMaterial* material) {
    struct aiString path = {0};
    if (aiGetMaterialTexture(from, aiTextureType_BASE_COLOR, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL) !=
            aiReturn_SUCCESS &&
        aiGetMaterialTexture(from, aiTextureType_DIFFUSE, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL) !=
            aiReturn_SUCCESS) {
        return true;
    }
    const struct aiTexture* embedded = embedded_texture(import->scene, path.data);
    if (embedded != NULL) {
        return take_embedded(import, embedded, material);
    }
    char* copy = lb_copy_text(import->host, path.data, strlen(path.data));
    if (copy == NULL) {
        return false;
    }
    lb_release(import->host, (void*)material->texturePath);
    material->texturePath = copy;
    lb_load_texture(import->host, import->path, material);
    return true;
}

/* The number in the surface of a material of the scene; -1: none. */
static lbResult find_material(lbAssimpImport* import, unsigned index, int* number) {
    *number = -1;
    if (index >= import->scene->mNumMaterials) {
        return lb_success();
    }
    *number = import->materials[index];
    if (*number >= 0) {
        return lb_success();
    }
    const struct aiMaterial* from = import->scene->mMaterials[index];
    struct aiString name = {0};
    aiGetMaterialString(from, AI_MATKEY_NAME, &name);
    int added = lb_add_material(&import->surface, name.data, strlen(name.data));
    if (added < 0) {
        return out_of_memory(import);
    }
    lbShapeMaterial* material = &import->surface.materials.data[added];
    read_factors(from, material);
    if (!read_texture(import, from, material)) {
        return out_of_memory(import);
    }
    if (is_no_material(import, index, material)) {
        lb_release(import->host, (void*)material->name);
        lb_release(import->host, (void*)material->texturePath);
        --import->surface.materials.count;
        return lb_success();
    }
    *number = import->materials[index] = added;
    return lb_success();
}

/* ---- surface ----------------------------------------------------------------------------------------------------- */

static bool same_array(const void* a, const void* b, size_t size) {
    return (a == NULL && b == NULL) || (a != NULL && b != NULL && memcmp(a, b, size) == 0);
}

/* Whether two meshes are primitives that share their vertices. */
static bool same_vertices(const struct aiMesh* a, const struct aiMesh* b) {
    size_t count = a->mNumVertices;
    return count == b->mNumVertices && same_array(a->mVertices, b->mVertices, count * sizeof(a->mVertices[0])) &&
           same_array(a->mColors[0], b->mColors[0], count * sizeof(a->mColors[0][0])) &&
           same_array(a->mTextureCoords[0], b->mTextureCoords[0], count * sizeof(a->mTextureCoords[0][0]));
}

/* Exactly; Assimp's own test takes a move by a centimetre for none. */
static bool is_identity(const struct aiMatrix4x4* m) {
    return m->a1 == 1 && m->a2 == 0 && m->a3 == 0 && m->a4 == 0 && m->b1 == 0 && m->b2 == 1 && m->b3 == 0 &&
           m->b4 == 0 && m->c1 == 0 && m->c2 == 0 && m->c3 == 1 && m->c4 == 0;
}

static lbResult add_vertex(lbAssimpImport* import, const struct aiMesh* mesh, unsigned index,
                           const struct aiMatrix4x4* placement) {
    struct aiVector3D p = mesh->mVertices[index];
    if (!is_identity(placement)) { /* which would make 0 of -0 */
        aiTransformVecByMatrix4(&p, placement);
    }
    if (!vec3_finite(vec3(p.x, p.y, p.z))) {
        return lb_error(lb_errorFormat, "%s: mesh '%s': vertex %u has a coordinate that is not a finite number",
                        import->path, mesh->mName.data, index);
    }
    if (import->surface.points.count / 3 >= mostPoints) {
        return lb_error(lb_errorFormat, "%s: expected at most %d points", import->path, mostPoints);
    }
    bool ok = lb_add_point(&import->surface, p.x, p.y, p.z);
    if (ok && mesh->mColors[0] != NULL) {
        struct aiColor4D c = mesh->mColors[0][index];
        ok = lb_set_color(&import->surface, c.r, c.g, c.b, c.a);
    }
    if (ok && mesh->mTextureCoords[0] != NULL) {
        struct aiVector3D t = mesh->mTextureCoords[0][index];
        bool finite = isfinite(t.x) && isfinite(t.y);
        ok = lb_add_texture_coord(&import->surface, finite ? t.x : 0, finite ? t.y : 0);
    }
    return ok ? lb_success() : out_of_memory(import);
}

/* Finds or adds the vertices of a mesh of the node at hand. */
static lbResult place_vertices(lbAssimpImport* import, const struct aiMesh* mesh, const struct aiMatrix4x4* placement,
                               lbPlaced* placed) {
    for (int i = 0; i < import->placed.count; ++i) {
        if (same_vertices(import->placed.data[i].mesh, mesh)) {
            *placed = import->placed.data[i];
            return lb_success();
        }
    }
    *placed = (lbPlaced){mesh, import->surface.points.count / 3, import->surface.textureCoords.count / 2};
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        LB_TRY(add_vertex(import, mesh, i, placement));
    }
    return LB_PUSH(import->host, &import->placed, *placed) ? lb_success() : out_of_memory(import);
}

static lbResult add_triangle(lbAssimpImport* import, const lbPlaced* placed, const struct aiMesh* mesh, unsigned face,
                             bool mirrored, int material) {
    const unsigned* indices = mesh->mFaces[face].mIndices;
    for (int k = 0; k < 3; ++k) {
        unsigned index = indices[mirrored && k > 0 ? 3 - k : k];
        if (index >= mesh->mNumVertices) {
            return lb_error(lb_errorFormat, "%s: mesh '%s': face %u uses vertex %u of %u", import->path,
                            mesh->mName.data, face, index, mesh->mNumVertices);
        }
        int coord = mesh->mTextureCoords[0] != NULL ? placed->firstCoord + (int)index : -1;
        if (!lb_add_corner(&import->surface, placed->firstPoint + (int)index, coord)) {
            return out_of_memory(import);
        }
    }
    return lb_end_polygon(&import->surface, material, (int)face) ? lb_success() : out_of_memory(import);
}

static lbResult add_mesh(lbAssimpImport* import, const struct aiMesh* mesh, const struct aiMatrix4x4* placement) {
    if (mesh->mVertices == NULL || (mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE) == 0) {
        return lb_success();
    }
    lbPlaced placed;
    int material = -1;
    LB_TRY(place_vertices(import, mesh, placement, &placed));
    LB_TRY(find_material(import, mesh->mMaterialIndex, &material));
    bool mirrored = aiMatrix4Determinant(placement) < 0;
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        if (mesh->mFaces[i].mNumIndices == 3) { /* the others are loose points and lines */
            LB_TRY(add_triangle(import, &placed, mesh, i, mirrored, material));
        }
    }
    return lb_success();
}

static lbResult add_node(lbAssimpImport* import, const struct aiNode* node, const struct aiMatrix4x4* parent,
                         int depth) {
    if (depth > deepestNode) {
        return lb_error(lb_errorFormat, "%s: expected nodes at most %d deep", import->path, deepestNode);
    }
    struct aiMatrix4x4 placement = *parent;
    aiMultiplyMatrix4(&placement, &node->mTransformation);
    import->placed.count = 0;
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        if (node->mMeshes[i] < import->scene->mNumMeshes) {
            LB_TRY(add_mesh(import, import->scene->mMeshes[node->mMeshes[i]], &placement));
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) {
        LB_TRY(add_node(import, node->mChildren[i], &placement, depth + 1));
    }
    return lb_success();
}

static lbResult convert_scene(lbAssimpImport* import, lbShape** shape) {
    if (import->scene->mRootNode == NULL) {
        return lb_error(lb_errorFormat, "%s: expected a surface, found an empty scene", import->path);
    }
    import->materials = LB_NEW(import->host, int, import->scene->mNumMaterials);
    if (import->materials == NULL) {
        return out_of_memory(import);
    }
    for (unsigned i = 0; i < import->scene->mNumMaterials; ++i) {
        import->materials[i] = -1;
    }
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    LB_TRY(add_node(import, import->scene->mRootNode, &identity, 0));
    return lb_finish_surface(&import->surface, shape);
}

bool lb_assimp_reads(const char* extension) {
    return extension[0] != 0 && aiIsExtensionSupported(extension);
}

/* Assimp 5.2 reads through a null pointer at a picture's type without a slash ("image/png" has one): found by feeding
 * it damaged files. */
static lbResult check_media_types(const lbShapeSource* source) {
    static const char key[] = "\"mimeType\"";
    const char* at = (const char*)source->bytes;
    const char* end = at + source->size;
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) < sizeof(key) || memcmp(at, key, sizeof(key) - 1) != 0) {
            ++at;
            continue;
        }
        at += sizeof(key) - 1;
        const char* quote = memchr(at, '"', (size_t)(end - at));
        const char* last = quote != NULL ? memchr(quote + 1, '"', (size_t)(end - quote - 1)) : NULL;
        if (last == NULL || memchr(quote, '/', (size_t)(last - quote)) == NULL) {
            return lb_error(lb_errorFormat, "%s: byte %lld: expected a type like \"image/png\" behind \"mimeType\"",
                            source->path, (long long)(at - (const char*)source->bytes));
        }
        at = last + 1;
    }
    return lb_success();
}

lbResult lb_import_by_assimp(const lbShapeSource* source, const char* extension, lbShape** shape) {
    *shape = NULL;
    const lbHost* host = source->host;
    if (source->size > mostBytes) {
        return lb_error(lb_errorFile, "%s: expected a file of at most %d MiB", source->path, mostBytes >> 20);
    }
    LB_TRY(check_media_types(source));
    const struct aiScene* scene = extension == NULL
                                      ? aiImportFile(source->path, aiProcess_Triangulate)
                                      : aiImportFileFromMemory((const char*)source->bytes, (unsigned)source->size,
                                                               aiProcess_Triangulate, extension + 1);
    if (scene == NULL) {
        return lb_error(lb_errorFormat, "%s: Assimp cannot read it: %s", source->path, aiGetErrorString());
    }
    lbAssimpImport import = {.host = host, .path = source->path, .scene = scene};
    import.surface.host = host;
    import.surface.path = source->path;
    import.surface.binary = true;
    lbResult result = convert_scene(&import, shape);
    lb_free_surface_builder(&import.surface);
    LB_FREE_ARRAY(host, &import.placed);
    lb_release(host, import.materials);
    aiReleaseImport(scene);
    return result;
}

#else

bool lb_assimp_reads(const char* extension) {
    (void)extension;
    return false;
}

lbResult lb_import_by_assimp(const lbShapeSource* source, const char* extension, lbShape** shape) {
    (void)extension;
    *shape = NULL;
    return lb_error(lb_errorUnsupported, "%s: this build has no Assimp, which reads this format", source->path);
}

#endif
