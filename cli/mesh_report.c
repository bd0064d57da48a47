#include "cli/mesh_report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static double courant_step(const lbMeshReporter* reporter, const lbMeshLine* line) {
    return line->report.courantLength / reporter->waveSpeed;
}

/* ---- For people: one mesh ---------------------------------------------------------------------------------------- */

LB_PRINTF(3, 4) static void print_field(lbOutput* output, const char* name, const char* format, ...) {
    fprintf(output->stream, "  %-30s", name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(output->stream, format, arguments);
    va_end(arguments);
    fputc('\n', output->stream);
}

static void print_list(lbMeshReporter* reporter, const lbMeshLine* line) {
    const lbTetMeshReport* report = &line->report;
    lbOutput* output = reporter->output;
    fprintf(output->stream, "%s%s%s\n", line->name, line->path != NULL ? " -> " : "",
            line->path != NULL ? line->path : "");
    print_field(output, "points", "%d (%d on the surface)", report->pointCount, report->surfacePointCount);
    print_field(output, "tetrahedra", "%d", report->tetCount);
    print_field(output, "edges", "%d", report->edgeCount);
    print_field(output, "parts", "%d", report->partCount);
    print_field(output, "surface", "%d triangles, Euler number %d, %d pinched points", report->surfaceTriangleCount,
                report->surfaceEulerNumber, report->pinchedPointCount);
    print_field(output, "angles between faces, degrees", "%.2f to %.2f", report->smallestAngle, report->largestAngle);
    print_field(output, "edge length, m", "%.4g to %.4g, mean %.4g", report->shortestEdge, report->longestEdge,
                report->meanEdge);
    print_field(output, "shortest altitude, m", "%.4g", report->shortestAltitude);
    if (isnan(report->volumeError)) {
        print_field(output, "volume, m^3", "%.6g", report->volume);
    } else {
        print_field(output, "volume, m^3", "%.6g, %.3f %% %s than the surface's", report->volume,
                    100 * fabs(report->volumeError), report->volumeError < 0 ? "less" : "more");
    }
    if (!isnan(report->surfaceDistance)) {
        print_field(output, "farthest off the surface, m", "%.2g", report->surfaceDistance);
    }
    print_field(output, "Courant step, s", "%.4g (at %.4g m/s)", courant_step(reporter, line), reporter->waveSpeed);
    if (!isnan(line->seconds)) {
        print_field(output, "meshed in, s", "%.3f", line->seconds);
    }
}

/* ---- For people: several ----------------------------------------------------------------------------------------- */

enum { columnCount = 10 };
static const lbColumn columns[columnCount] = {
    {"surface", -22}, {"edge, m", 9},   {"points", 9},     {"tetrahedra", 10}, {"angles from", 11},
    {"to", 7},        {"altitude", 10}, {"volume, %", 10}, {"step, s", 10},    {"s", 7},
};

static void print_row(lbMeshReporter* reporter, const lbMeshLine* line) {
    if (!reporter->begun) {
        lb_print_header(reporter->output, columns, columnCount);
        reporter->begun = true;
    }
    const lbTetMeshReport* report = &line->report;
    const char* slash = strrchr(line->name, '/');
    char cells[columnCount][32];
    snprintf(cells[1], sizeof(cells[1]), "%.4g", isnan(line->edge) ? report->meanEdge : line->edge);
    snprintf(cells[2], sizeof(cells[2]), "%d", report->pointCount);
    snprintf(cells[3], sizeof(cells[3]), "%d", report->tetCount);
    snprintf(cells[4], sizeof(cells[4]), "%.2f", report->smallestAngle);
    snprintf(cells[5], sizeof(cells[5]), "%.2f", report->largestAngle);
    snprintf(cells[6], sizeof(cells[6]), "%.3g", report->shortestAltitude);
    snprintf(cells[7], sizeof(cells[7]), isnan(report->volumeError) ? "-" : "%+.2f", 100 * report->volumeError);
    snprintf(cells[8], sizeof(cells[8]), "%.3g", courant_step(reporter, line));
    snprintf(cells[9], sizeof(cells[9]), isnan(line->seconds) ? "-" : "%.2f", line->seconds);
    const char* row[columnCount] = {slash != NULL ? slash + 1 : line->name};
    for (int i = 1; i < columnCount; ++i) {
        row[i] = cells[i];
    }
    lb_print_row(reporter->output, columns, columnCount, row);
}

/* ---- For programs ------------------------------------------------------------------------------------------------ */

static void print_json(lbMeshReporter* reporter, const lbMeshLine* line) {
    const lbTetMeshReport* report = &line->report;
    lbJson json = lb_jsonline_begin(reporter->output->stream);
    lb_jsonline_string(&json, "surface", line->name);
    if (line->path != NULL) {
        lb_jsonline_string(&json, "file", line->path);
    }
    lb_jsonline_integer(&json, "level", line->level + 1);
    lb_jsonline_number(&json, "edge", line->edge);
    lb_jsonline_integer(&json, "points", report->pointCount);
    lb_jsonline_integer(&json, "tetrahedra", report->tetCount);
    lb_jsonline_integer(&json, "edges", report->edgeCount);
    lb_jsonline_integer(&json, "parts", report->partCount);
    lb_jsonline_integer(&json, "surface_points", report->surfacePointCount);
    lb_jsonline_integer(&json, "surface_triangles", report->surfaceTriangleCount);
    lb_jsonline_integer(&json, "surface_euler_number", report->surfaceEulerNumber);
    lb_jsonline_integer(&json, "pinched_points", report->pinchedPointCount);
    lb_jsonline_integer(&json, "pinched_edges", report->pinchedEdgeCount);
    lb_jsonline_number(&json, "smallest_angle", report->smallestAngle);
    lb_jsonline_number(&json, "largest_angle", report->largestAngle);
    lb_jsonline_number(&json, "shortest_edge", report->shortestEdge);
    lb_jsonline_number(&json, "mean_edge", report->meanEdge);
    lb_jsonline_number(&json, "longest_edge", report->longestEdge);
    lb_jsonline_number(&json, "shortest_altitude", report->shortestAltitude);
    lb_jsonline_number(&json, "courant_length", report->courantLength);
    lb_jsonline_number(&json, "courant_step", courant_step(reporter, line));
    lb_jsonline_number(&json, "volume", report->volume);
    lb_jsonline_number(&json, "volume_error", report->volumeError);
    lb_jsonline_number(&json, "surface_distance", report->surfaceDistance);
    lb_jsonline_number(&json, "seconds", line->seconds);
    lb_jsonline_end(&json);
}

void lb_print_mesh(lbMeshReporter* reporter, const lbMeshLine* line) {
    if (reporter->output->json) {
        print_json(reporter, line);
    } else if (reporter->output->quiet) {
        return;
    } else if (reporter->asTable) {
        print_row(reporter, line);
    } else {
        print_list(reporter, line);
    }
}
