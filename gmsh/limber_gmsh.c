/* limber-gmsh: fills a closed surface with tetrahedra by Gmsh, keeping its sharp edges.
 *
 * A program of its own: Gmsh is under the GPL, so this is too when you pass it on, and limber, which only runs it and
 * reads the file it writes, is not. It knows nothing of limber.
 *
 * limber-gmsh SURFACE.stl OUTPUT.msh EDGE DEGREES: triangles that meet at more than DEGREES have a sharp edge between
 * them; EDGE is the wanted length of the tetrahedra's edges. */
#include <gmshc.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char* what) {
    char* reason = NULL;
    int ierr = 0;
    gmshLoggerGetLastError(&reason, &ierr);
    fprintf(stderr, "limber-gmsh: %s%s%s\n", what, reason != NULL && reason[0] != 0 ? ": " : "",
            reason != NULL ? reason : "");
    return 1;
}

static void set_options(double edge) {
    int ierr = 0;
    gmshOptionSetNumber("General.Terminal", 0, &ierr);
    gmshOptionSetNumber("General.NumThreads", 1, &ierr); /* the same mesh every time */
    gmshOptionSetNumber("Mesh.MeshSizeMin", edge, &ierr);
    gmshOptionSetNumber("Mesh.MeshSizeMax", edge, &ierr);
    gmshOptionSetNumber("Mesh.MeshSizeFromPoints", 0, &ierr);
    gmshOptionSetNumber("Mesh.MeshSizeExtendFromBoundary", 0, &ierr);
    gmshOptionSetNumber("Mesh.MshFileVersion", 2.2, &ierr);
    gmshOptionSetNumber("Mesh.Binary", 1, &ierr);
    gmshOptionSetNumber("Mesh.OptimizeThreshold", 0.5, &ierr);
}

/* Cuts the triangles into patches at sharp edges and makes a geometry of them. */
static int classify(double degrees) {
    int ierr = 0;
    double angle = degrees * 3.14159265358979323846 / 180;
    gmshModelMeshClassifySurfaces(angle, 1, 1, angle, 0, &ierr);
    if (ierr != 0) {
        return fail("the surface cannot be cut into patches");
    }
    gmshModelMeshCreateGeometry(NULL, 0, &ierr);
    return ierr == 0 ? 0 : fail("the patches cannot be parametrised");
}

static int enclose_volume(void) {
    int ierr = 0, *entities = NULL;
    size_t count = 0;
    gmshModelGetEntities(&entities, &count, 2, &ierr);
    if (ierr != 0 || count == 0) {
        return fail("the surface has no patches");
    }
    int* patches = malloc(count / 2 * sizeof(int));
    if (patches == NULL) {
        return fail("out of memory");
    }
    for (size_t i = 0; i < count / 2; ++i) {
        patches[i] = entities[2 * i + 1];
    }
    int loop = gmshModelGeoAddSurfaceLoop(patches, count / 2, -1, &ierr);
    free(patches);
    gmshFree(entities);
    int volume = gmshModelGeoAddVolume(&loop, 1, -1, &ierr);
    gmshModelGeoSynchronize(&ierr);
    gmshModelAddPhysicalGroup(3, &volume, 1, 1, &ierr); /* so that nothing but its tetrahedra is written */
    return ierr == 0 ? 0 : fail("the patches do not enclose a volume");
}

static int mesh(const char* input, const char* output, double edge, double degrees) {
    int ierr = 0;
    set_options(edge);
    gmshMerge(input, &ierr);
    if (ierr != 0) {
        return fail("the surface cannot be read");
    }
    if (classify(degrees) != 0 || enclose_volume() != 0) {
        return 1;
    }
    gmshModelMeshGenerate(3, &ierr);
    if (ierr != 0) {
        return fail("no mesh was found; is the surface closed and free of intersections?");
    }
    gmshWrite(output, &ierr);
    return ierr == 0 ? 0 : fail("the mesh cannot be written");
}

int main(int argumentCount, char** arguments) {
    double edge = argumentCount == 5 ? atof(arguments[3]) : 0, degrees = argumentCount == 5 ? atof(arguments[4]) : 0;
    if (!(edge > 0) || !isfinite(edge) || !(degrees > 0 && degrees <= 180)) {
        fprintf(stderr, "usage: limber-gmsh SURFACE.stl OUTPUT.msh EDGE DEGREES\n");
        return 2;
    }
    int ierr = 0;
    gmshInitialize(0, NULL, 0, &ierr);
    if (ierr != 0) {
        fprintf(stderr, "limber-gmsh: Gmsh does not start\n");
        return 1;
    }
    int result = mesh(arguments[1], arguments[2], edge, degrees);
    gmshFinalize(&ierr);
    return result;
}
