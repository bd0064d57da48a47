#include "body/mass_properties.h"

#include "base/result.h"
#include "base/symmetric_eigen.h"
#include "contact/collision_parts.h"
#include "shape/solid_surface.h"
#include "shape/triangle_geometry.h"

static lbResult check_density(double density) {
    return density > 0 && isfinite(density)
               ? lb_success()
               : lb_error(lb_errorArgument, "the density is %g; expected more than 0 kg/m^3", density);
}

/* ---- Surfaces ---------------------------------------------------------------------------------------------------- */

/* Integrals over what a surface encloses, about a place near its middle, where least of them cancels. */
typedef struct Moments {
    lbVec3d origin;
    double volume;    /* m^3 */
    lbVec3d first;    /* m^4, of the place */
    double second[6]; /* m^5, of xx, yy, zz, xy, xz, yz */
} Moments;

static Moments begin_moments(lbBox bounds) {
    lbVec3d lower = vec3d_from(bounds.lower), upper = vec3d_from(bounds.upper);
    return (Moments){.origin = vec3d_scale(0.5, vec3d_add(lower, upper))};
}

/* Adds scale p p^T. */
static void add_outer(double s[6], double scale, lbVec3d p) {
    s[0] += scale * p.x * p.x, s[1] += scale * p.y * p.y, s[2] += scale * p.z * p.z;
    s[3] += scale * p.x * p.y, s[4] += scale * p.x * p.z, s[5] += scale * p.y * p.z;
}

/* The tetrahedron between the triangle and the origin: its second moments are V / 20 times the sum of its corners'
 * squares and the square of their sum. */
static void add_tetrahedron(Moments* moments, const float* a, const float* b, const float* c) {
    lbTriangle t = {vec3d_sub(vec3d_load(a), moments->origin), vec3d_sub(vec3d_load(b), moments->origin),
                    vec3d_sub(vec3d_load(c), moments->origin)};
    double volume = vec3d_dot(t.a, vec3d_cross(t.b, t.c)) / 6;
    lbVec3d sum = vec3d_add(vec3d_add(t.a, t.b), t.c);
    moments->volume += volume;
    moments->first = vec3d_madd(moments->first, 0.25 * volume, sum);
    add_outer(moments->second, volume / 20, t.a);
    add_outer(moments->second, volume / 20, t.b);
    add_outer(moments->second, volume / 20, t.c);
    add_outer(moments->second, volume / 20, sum);
}

static lbResult end_moments(Moments moments, double density, lbMassProperties* properties) {
    if (!(moments.volume > 0)) {
        return lb_error(lb_errorArgument, "the surface encloses %g m^3; expected more than 0", moments.volume);
    }
    lbVec3d shift = vec3d_scale(1 / moments.volume, moments.first);
    double* s = moments.second;
    add_outer(s, -moments.volume, shift);
    *properties = (lbMassProperties){
        .mass = density * moments.volume,
        .center = vec3d_add(moments.origin, shift),
        .inertia = {density * (s[1] + s[2]), density * (s[0] + s[2]), density * (s[0] + s[1]), -density * s[3],
                    -density * s[4], -density * s[5]},
    };
    return lb_success();
}

lbResult lb_shape_mass_properties(const lbShape* shape, double density, lbMassProperties* properties) {
    *properties = (lbMassProperties){0};
    LB_TRY(check_density(density));
    LB_TRY(lb_in_context(lb_check_solid_surface(shape), "mass"));
    Moments moments = begin_moments(shape->bounds);
    for (int i = 0; i < shape->triangleCount; ++i) {
        const int* corners = shape->triangles + 3 * (size_t)i;
        add_tetrahedron(&moments, shape->points + 3 * (size_t)corners[0], shape->points + 3 * (size_t)corners[1],
                        shape->points + 3 * (size_t)corners[2]);
    }
    return end_moments(moments, density, properties);
}

static lbResult mesh_mass(const lbCollisionShape* shape, double density, lbMassProperties* properties) {
    const lbBvh* bvh = &shape->mesh->bvh;
    Moments moments = begin_moments(shape->bounds);
    for (int slot = 0; slot < bvh->triangleCount; ++slot) {
        const float* corners = bvh->corners + 9 * (size_t)slot;
        add_tetrahedron(&moments, corners, corners + 3, corners + 6);
    }
    return end_moments(moments, density, properties);
}

/* ---- Other solids, about the origin ------------------------------------------------------------------------------ */

static lbMassProperties centered(double mass, double xx, double yy, double zz) {
    return (lbMassProperties){.mass = mass, .inertia = {xx, yy, zz, 0, 0, 0}};
}

static lbMassProperties sphere_mass(double r, double density) {
    double mass = density * 4 / 3 * LB_PI * r * r * r, moment = 0.4 * mass * r * r;
    return centered(mass, moment, moment, moment);
}

static lbMassProperties box_mass(lbVec3d half, double density) {
    double mass = density * 8 * half.x * half.y * half.z;
    double xx = half.x * half.x / 3, yy = half.y * half.y / 3, zz = half.z * half.z / 3;
    return centered(mass, mass * (yy + zz), mass * (xx + zz), mass * (xx + yy));
}

/* A cylinder and two half balls, whose own centres are 3/8 r beyond its ends. */
static lbMassProperties capsule_mass(double r, double halfLength, double density) {
    double cylinder = density * LB_PI * r * r * 2 * halfLength, ball = density * 4 / 3 * LB_PI * r * r * r;
    double yy = cylinder * 0.5 * r * r + ball * 0.4 * r * r;
    double beyond = halfLength + 0.375 * r;
    double across = cylinder * (0.25 * r * r + halfLength * halfLength / 3) +
                    ball * (0.4 * r * r - 0.140625 * r * r + beyond * beyond);
    return centered(cylinder + ball, across, yy, across);
}

lbResult lb_collision_mass_properties(const lbCollisionShape* shape, double density, lbMassProperties* properties) {
    *properties = (lbMassProperties){0};
    LB_TRY(check_density(density));
    switch (shape->kind) {
    case lb_collisionSphere:
        *properties = sphere_mass((double)shape->radius, density);
        return lb_success();
    case lb_collisionCapsule:
        *properties = capsule_mass((double)shape->radius, (double)shape->halfLength, density);
        return lb_success();
    case lb_collisionBox:
        *properties = box_mass(vec3d_from(shape->half), density);
        return lb_success();
    case lb_collisionMesh:
        return mesh_mass(shape, density, properties);
    default:
        return lb_error(lb_errorArgument, "a %s has no mass; expected a sphere, capsule, box or mesh",
                        lbCollisionKind_GetName(shape->kind));
    }
}

/* ---- Principal axes ---------------------------------------------------------------------------------------------- */

/* Of a rotation matrix with these columns, by its largest component (Shepperd, 1978). */
static lbQuat quat_from_columns(lbVec3d x, lbVec3d y, lbVec3d z) {
    const double squares[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z};
    int largest = 3;
    for (int i = 0; i < 3; ++i) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    double twice = sqrt(squares[largest]), s = 0.5 / twice;
    double yz = y.z - z.y, zx = z.x - x.z, xy = x.y - y.x;
    double q[4] = {s * yz, s * zx, s * xy, 0.5 * twice};
    if (largest == 0) {
        q[0] = 0.5 * twice, q[1] = s * (x.y + y.x), q[2] = s * (x.z + z.x), q[3] = s * yz;
    } else if (largest == 1) {
        q[0] = s * (x.y + y.x), q[1] = 0.5 * twice, q[2] = s * (y.z + z.y), q[3] = s * zx;
    } else if (largest == 2) {
        q[0] = s * (x.z + z.x), q[1] = s * (y.z + z.y), q[2] = 0.5 * twice, q[3] = s * xy;
    }
    return quat_normalize((lbQuat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]});
}

void lb_principal_axes(const double inertia[6], double moments[3], lbQuat* rotation) {
    double matrix[9] = {inertia[0], inertia[3], inertia[4], inertia[3], inertia[1],
                        inertia[5], inertia[4], inertia[5], inertia[2]};
    double axes[9];
    lb_symmetric_eigen(3, matrix, moments, axes);
    lbVec3d x = vec3d(axes[0], axes[1], axes[2]), y = vec3d(axes[3], axes[4], axes[5]);
    *rotation = quat_from_columns(x, y, vec3d_cross(x, y)); /* right-handed, whichever way the third came out */
}
