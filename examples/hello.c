/* The smallest complete program on limber: make a surface, ask about it. Build it as docs/building.md shows. */
#include <limber/base.h>
#include <limber/shape.h>
#include <stdio.h>

int main(void) {
    lbResult result = lbCheckProcessor();
    if (result.code != lb_ok) {
        fprintf(stderr, "%s\n", result.message);
        return 1;
    }

    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = 4;
    def.points = points;
    def.triangleCount = 4;
    def.triangles = triangles;

    lbShape* tetrahedron = NULL;
    result = lbCreateShape(&def, &tetrahedron);
    if (result.code != lb_ok) {
        fprintf(stderr, "%s\n", result.message);
        return 1;
    }
    printf("limber %s: a tetrahedron of %d points and %d triangles\n", lbGetVersion(),
           lbShape_GetPointCount(tetrahedron), lbShape_GetTriangleCount(tetrahedron));
    lbDestroyShape(tetrahedron);
    return 0;
}
