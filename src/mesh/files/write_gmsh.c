/* Gmsh 2.2 and 4.1, text and binary. A region becomes a physical group, and a volume of the model, of its own. */
#include "base/result.h"
#include "mesh/files/mesh_writer.h"

enum { gmshTet = 4 };

/* Integers and sizes stand by themselves in binary, and with blanks in text. */
typedef struct Writer {
    lbMeshWriter out;
    lbRegionList regions;
    bool binary;
} Writer;

static void put_int(Writer* writer, int value, const char* behind) {
    if (writer->binary) {
        lb_put_int32(&writer->out, value);
    } else {
        lb_put(&writer->out, "%d%s", value, behind);
    }
}

static void put_size(Writer* writer, int64_t value, const char* behind) {
    if (writer->binary) {
        lb_put_int64(&writer->out, value);
    } else {
        lb_put(&writer->out, "%lld%s", (long long)value, behind);
    }
}

static void put_point(Writer* writer, int point) {
    if (writer->binary) {
        for (int k = 0; k < 3; ++k) {
            lb_put_double(&writer->out, writer->out.mesh->points[3 * (size_t)point + k]);
        }
    } else {
        lb_put_point(&writer->out, point, " ");
        lb_put(&writer->out, "\n");
    }
}

static void put_header(Writer* writer, const char* version) {
    lb_put(&writer->out, "$MeshFormat\n%s %d 8\n", version, writer->binary);
    if (writer->binary) {
        lb_put_int32(&writer->out, 1);
        lb_put(&writer->out, "\n");
    }
    lb_put(&writer->out, "$EndMeshFormat\n");
}

static int volume_of(const Writer* writer, int tet) {
    return 1 + lb_region_index(&writer->regions, lb_region_of(writer->out.mesh, tet));
}

static void end_section(Writer* writer, const char* name) {
    lb_put(&writer->out, writer->binary ? "\n$End%s\n" : "$End%s\n", name);
}

/* ---- Version 2.2 ------------------------------------------------------------------------------------------------- */

static void put_version_2(Writer* writer) {
    const lbTetMesh* mesh = writer->out.mesh;
    put_header(writer, "2.2");
    lb_put(&writer->out, "$Nodes\n%d\n", mesh->pointCount);
    for (int i = 0; i < mesh->pointCount; ++i) {
        put_int(writer, i + 1, " ");
        put_point(writer, i);
    }
    end_section(writer, "Nodes");
    lb_put(&writer->out, "$Elements\n%d\n", mesh->tetCount);
    if (writer->binary) { /* one run of all */
        put_int(writer, gmshTet, "");
        put_int(writer, mesh->tetCount, "");
        put_int(writer, 2, "");
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        put_int(writer, i + 1, " 4 2 ");
        put_int(writer, lb_region_of(mesh, i), " ");
        put_int(writer, volume_of(writer, i), " ");
        for (int k = 0; k < 4; ++k) {
            put_int(writer, mesh->tets[4 * (size_t)i + k] + 1, k < 3 ? " " : "\n");
        }
    }
    end_section(writer, "Elements");
}

/* ---- Version 4.1 ------------------------------------------------------------------------------------------------- */

static void put_bounds(Writer* writer) {
    const lbTetMesh* mesh = writer->out.mesh;
    double bounds[6] = {mesh->points[0], mesh->points[1], mesh->points[2],
                        mesh->points[0], mesh->points[1], mesh->points[2]};
    for (size_t i = 0; i < 3 * (size_t)mesh->pointCount; ++i) {
        bounds[i % 3] = fmin(bounds[i % 3], mesh->points[i]);
        bounds[3 + i % 3] = fmax(bounds[3 + i % 3], mesh->points[i]);
    }
    for (int k = 0; k < 6; ++k) {
        if (writer->binary) {
            lb_put_double(&writer->out, bounds[k]);
        } else {
            lb_put_real(&writer->out, bounds[k]);
            lb_put(&writer->out, " ");
        }
    }
}

/* A volume for each region, all with the bounds of the whole. */
static void put_entities(Writer* writer) {
    lb_put(&writer->out, "$Entities\n");
    for (int k = 0; k < 3; ++k) {
        put_size(writer, 0, " ");
    }
    put_size(writer, writer->regions.count, "\n");
    for (int i = 0; i < writer->regions.count; ++i) {
        int region = writer->regions.data[i];
        put_int(writer, i + 1, " ");
        put_bounds(writer);
        put_size(writer, region != 0, " ");
        if (region != 0) {
            put_int(writer, region, " ");
        }
        put_size(writer, 0, "\n");
    }
    end_section(writer, "Entities");
}

static void put_nodes(Writer* writer) {
    int count = writer->out.mesh->pointCount;
    lb_put(&writer->out, "$Nodes\n");
    put_size(writer, 1, " ");
    put_size(writer, count, " ");
    put_size(writer, 1, " ");
    put_size(writer, count, "\n");
    put_int(writer, 3, " ");
    put_int(writer, 1, " ");
    put_int(writer, 0, " ");
    put_size(writer, count, "\n");
    for (int i = 0; i < count; ++i) {
        put_size(writer, i + 1, "\n");
    }
    for (int i = 0; i < count; ++i) {
        put_point(writer, i);
    }
    end_section(writer, "Nodes");
}

/* A block for each run of one region, so that the order stays. */
static void put_elements(Writer* writer) {
    const lbTetMesh* mesh = writer->out.mesh;
    int blockCount = 0;
    for (int i = 0; i < mesh->tetCount; i += lb_region_run(mesh, i)) {
        ++blockCount;
    }
    lb_put(&writer->out, "$Elements\n");
    put_size(writer, blockCount, " ");
    put_size(writer, mesh->tetCount, " ");
    put_size(writer, 1, " ");
    put_size(writer, mesh->tetCount, "\n");
    for (int i = 0, end = 0; i < mesh->tetCount; i = end) {
        end = i + lb_region_run(mesh, i);
        put_int(writer, 3, " ");
        put_int(writer, volume_of(writer, i), " ");
        put_int(writer, gmshTet, " ");
        put_size(writer, end - i, "\n");
        for (int tet = i; tet < end; ++tet) {
            put_size(writer, tet + 1, " ");
            for (int k = 0; k < 4; ++k) {
                put_size(writer, mesh->tets[4 * (size_t)tet + k] + 1, k < 3 ? " " : "\n");
            }
        }
    }
    end_section(writer, "Elements");
}

static void put_version_4(Writer* writer) {
    put_header(writer, "4.1");
    put_entities(writer);
    put_nodes(writer);
    put_elements(writer);
}

lbResult lb_write_gmsh(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    Writer writer = {.binary = def->encoding == lb_encodingBinary};
    LB_TRY(lb_begin_writing(mesh, path, &writer.out));
    lbResult result = lb_list_regions(mesh, &writer.regions);
    if (result.code == lb_ok) {
        if (def->gmshVersion == 4) {
            put_version_4(&writer);
        } else {
            put_version_2(&writer);
        }
        result = lb_finish_writing(&writer.out);
    }
    lb_discard_writing(&writer.out);
    LB_FREE_ARRAY(mesh->host, &writer.regions);
    return result;
}
