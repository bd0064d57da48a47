/* The public interface from C++: every header together, linked and called. */
#include "all_headers.h"

#include <cstdio>
#include <cstring>
#include <string>

static bool the_version_is_that_of_the_headers() {
    std::string expected = std::to_string(LB_VERSION_MAJOR) + "." + std::to_string(LB_VERSION_MINOR) + "." +
                           std::to_string(LB_VERSION_PATCH);
    return expected == lbGetVersion();
}

static bool a_shape_made_from_cpp_keeps_its_counts() {
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = 4;
    def.points = points;
    def.triangleCount = 4;
    def.triangles = triangles;
    lbShape* shape = nullptr;
    if (lbCreateShape(&def, &shape).code != lb_ok) {
        return false;
    }
    bool kept = lbShape_GetPointCount(shape) == 4 && lbShape_GetTriangleCount(shape) == 4 &&
                lbShape_GetBounds(shape).upper.z == 1.0f;
    lbDestroyShape(shape);
    return kept;
}

static bool a_definition_without_its_default_is_an_error_with_a_message() {
    lbShapeDef def = {};
    lbShape* shape = nullptr;
    lbResult result = lbCreateShape(&def, &shape);
    return result.code == lb_errorArgument && std::strlen(result.message) > 0 && shape == nullptr;
}

int main() {
    int failures = 0;
    auto run = [&](const char* name, bool holds) {
        std::printf("%s %s\n", holds ? "ok    " : "FAILED", name);
        failures += holds ? 0 : 1;
    };
    run("the_version_is_that_of_the_headers", the_version_is_that_of_the_headers());
    run("a_shape_made_from_cpp_keeps_its_counts", a_shape_made_from_cpp_keeps_its_counts());
    run("a_definition_without_its_default_is_an_error_with_a_message",
        a_definition_without_its_default_is_an_error_with_a_message());
    return failures == 0 ? 0 : 1;
}
