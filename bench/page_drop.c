#include "bench/page_drop.h"

#include "base/clock.h"
#include "base/result.h"
#include "bench/page_client.h"
#include "limber/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { drops = 3 };

static const char fileName[] = "ball.obj";
/* m: makes 100,000 triangles of a ball of half a metre. */
static const float edge = 0.00425f;

typedef struct File {
    char path[128];
    char* bytes;
    size_t size;
    int triangleCount;
} File;

static lbResult make_file(const char* folder, File* file) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    lbShape* ball = NULL;
    def.edge = edge;
    LB_TRY(lbGenerateShape(&def, &ball));
    snprintf(file->path, sizeof(file->path), "%s/%s", folder, fileName);
    file->triangleCount = lbShape_GetTriangleCount(ball);
    lbResult result = lbShape_Save(ball, file->path);
    lbDestroyShape(ball);
    return result;
}

static lbResult read_file(File* file) {
    FILE* stream = fopen(file->path, "rb");
    long size = stream != NULL && fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    file->bytes = size > 0 ? malloc((size_t)size) : NULL;
    file->size = (size_t)(size > 0 ? size : 0);
    bool read = file->bytes != NULL && fseek(stream, 0, SEEK_SET) == 0 &&
                fread(file->bytes, 1, file->size, stream) == file->size;
    if (stream != NULL) {
        fclose(stream);
    }
    return read ? lb_success() : lb_error(lb_errorFile, "%s: cannot be read", file->path);
}

/* From the first byte that is sent to the first frame of the new scene. */
static lbResult drop(lbPageClient* client, const char* address, const File* file, double* upload, double* whole) {
    lbPageFrame frame;
    LB_TRY(lb_page_next_frame(client, &frame));
    uint32_t before = frame.revision;
    double start = lb_seconds();
    LB_TRY(lb_page_upload(address, fileName, file->bytes, file->size));
    *upload = lb_seconds() - start;
    LB_TRY(lb_page_send(client, "{\"type\":\"load\",\"file\":\"ball.obj\"}"));
    do {
        LB_TRY(lb_page_next_frame(client, &frame));
    } while (frame.revision == before);
    *whole = lb_seconds() - start;
    return lb_success();
}

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static lbResult measure(lbBenchContext* context, const char* address, const File* file) {
    lbPageClient client;
    double uploads[drops], wholes[drops];
    LB_TRY(lb_page_connect(address, &client));
    lbResult result = lb_success();
    for (int i = 0; i < drops && result.code == lb_ok; ++i) {
        lb_bench_progress(context, "dropping a file");
        result = drop(&client, address, file, &uploads[i], &wholes[i]);
    }
    lb_page_disconnect(&client);
    LB_TRY(result);
    qsort(uploads, drops, sizeof(double), by_size);
    qsort(wholes, drops, sizeof(double), by_size);
    lb_bench_report(context, "dropped_triangles", file->triangleCount, "");
    lb_bench_report(context, "dropped_file", 1e-6 * (double)file->size, "MB");
    lb_bench_report(context, "drop_to_uploaded", 1e3 * uploads[drops / 2], "ms");
    lb_bench_report(context, "drop_to_first_frame", 1e3 * wholes[drops / 2], "ms");
    return result;
}

lbResult lb_measure_drop(lbBenchContext* context, const char* address, const char* folder) {
    File file = {.bytes = NULL};
    lbResult result = make_file(folder, &file);
    if (result.code == lb_ok) {
        result = read_file(&file);
    }
    if (result.code == lb_ok) {
        result = measure(context, address, &file);
    }
    unlink(file.path);
    free(file.bytes);
    return result;
}
