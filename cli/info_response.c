#include "cli/info_response.h"

#include "limber/response.h"

#include <math.h>
#include <string.h>

typedef struct ResponseInfo {
    int points, free, triangles;
    double bytes;
    float lower[3], upper[3];
    double least, most; /* m/N, how a free point gives way to a force on itself, along the softest axis */
    int softest;        /* the point that gives way most */
} ResponseInfo;

bool lb_is_response_file(const char* path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".lbr") == 0;
}

static ResponseInfo measure(const lbResponse* made) {
    ResponseInfo info = {.points = lbResponse_GetPointCount(made),
                         .free = lbResponse_GetFreeCount(made),
                         .triangles = lbResponse_GetTriangleCount(made),
                         .bytes = (double)lbResponse_GetFileSize(made),
                         .least = INFINITY,
                         .softest = -1};
    const float* points = lbResponse_GetRestPoints(made);
    for (int i = 0; i < info.points; ++i) {
        for (int c = 0; c < 3; ++c) {
            float p = points[3 * (size_t)i + (size_t)c];
            info.lower[c] = i == 0 ? p : fminf(info.lower[c], p);
            info.upper[c] = i == 0 ? p : fmaxf(info.upper[c], p);
        }
        if (!lbResponse_IsHeld(made, i)) {
            float block[9];
            lbResponse_GetCompliance(made, i, i, block);
            double own = (double)fmaxf(block[0], fmaxf(block[4], block[8]));
            info.least = fmin(info.least, own);
            if (own > info.most) {
                info.most = own;
                info.softest = i;
            }
        }
    }
    return info;
}

static void print_text(lbOutput* output, const char* path, const ResponseInfo* info, const float* at) {
    if (output->quiet) {
        fprintf(output->stream, "%s: %d points, %d free, %.2f MB\n", path, info->points, info->free,
                1e-6 * info->bytes);
        return;
    }
    fprintf(output->stream, "%s\n", path);
    fprintf(output->stream, "  %-24s%d (%d free, %d held)\n", "points", info->points, info->free,
            info->points - info->free);
    fprintf(output->stream, "  %-24s%d\n", "triangles", info->triangles);
    fprintf(output->stream, "  %-24s(%g, %g, %g) to (%g, %g, %g)\n", "bounds, m", (double)info->lower[0],
            (double)info->lower[1], (double)info->lower[2], (double)info->upper[0], (double)info->upper[1],
            (double)info->upper[2]);
    fprintf(output->stream, "  %-24s%.3g to %.3g, most at (%.3g, %.3g, %.3g)\n", "gives way, m/N", info->least,
            info->most, (double)at[0], (double)at[1], (double)at[2]);
    fprintf(output->stream, "  %-24s%.2f\n", "file, MB", 1e-6 * info->bytes);
}

static void print_json(lbOutput* output, const char* path, const ResponseInfo* info) {
    lbJson json = lb_jsonline_begin(output->stream);
    lb_jsonline_string(&json, "file", path);
    lb_jsonline_integer(&json, "points", info->points);
    lb_jsonline_integer(&json, "free_points", info->free);
    lb_jsonline_integer(&json, "triangles", info->triangles);
    lb_jsonline_floats(&json, "lower", info->lower, 3);
    lb_jsonline_floats(&json, "upper", info->upper, 3);
    lb_jsonline_number(&json, "least_compliance", info->least);
    lb_jsonline_number(&json, "most_compliance", info->most);
    lb_jsonline_number(&json, "file_mb", 1e-6 * info->bytes);
    lb_jsonline_end(&json);
}

bool lb_inspect_response(lbOutput* output, const char* path) {
    lbResponse* made = NULL;
    lb_show_progress(output, "%s", path);
    lbResult result = lbOpenResponse(path, NULL, &made);
    lb_clear_progress(output);
    if (result.code != lb_ok) {
        lb_print_error("info: %s", result.message);
        return false;
    }
    ResponseInfo info = measure(made);
    if (output->json) {
        print_json(output, path, &info);
    } else {
        print_text(output, path, &info, lbResponse_GetRestPoints(made) + 3 * (size_t)info.softest);
    }
    lbDestroyResponse(made);
    return true;
}
