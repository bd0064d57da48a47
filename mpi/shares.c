#include "mpi/shares.h"

#include "base/result.h"
#include "mesh/tet_mesh.h"

#include <string.h>

/* ---- Which tetrahedra a rank has to do with ---------------------------------------------------------------------- */

/* Those around its nodes, and where their lists begin: starts (end - begin + 1). */
typedef struct Around {
    int* starts;
    int* tets;
    int* seen; /* (nodeCount) the last node that met each, + 1 */
} Around;

static bool is_own(const lbShares* shares, int node) {
    return node >= shares->begin && node < shares->end;
}

static void free_around(const lbHost* host, Around* around) {
    lb_release(host, around->starts);
    lb_release(host, around->tets);
    lb_release(host, around->seen);
}

static lbResult find_around(const lbShares* shares, Around* around) {
    const lbTetMesh* mesh = shares->work->def->mesh;
    const lbHost* host = shares->work->host;
    int own = shares->end - shares->begin;
    *around = (Around){.starts = LB_NEW(host, int, (int64_t)own + 2), .seen = LB_NEW(host, int, mesh->pointCount)};
    if (around->starts == NULL || around->seen == NULL) {
        return lb_out_of_memory("the elements of a rank");
    }
    for (int64_t i = 0; i < 4 * (int64_t)mesh->tetCount; ++i) {
        if (is_own(shares, mesh->tets[i])) {
            ++around->starts[mesh->tets[i] - shares->begin + 2];
        }
    }
    for (int i = 1; i <= own; ++i) {
        around->starts[i + 1] += around->starts[i];
    }
    around->tets = LB_NEW(host, int, (int64_t)around->starts[own + 1] + 1);
    if (around->tets == NULL) {
        return lb_out_of_memory("the elements of a rank");
    }
    for (int64_t i = 0; i < 4 * (int64_t)mesh->tetCount; ++i) { /* each start moves on to where the next one begins */
        if (is_own(shares, mesh->tets[i])) {
            around->tets[around->starts[mesh->tets[i] - shares->begin + 1]++] = (int)(i / 4);
        }
    }
    return lb_success();
}

/* Neighbours of each node of this rank, itself among them: of this rank, and of others. */
static void count_neighbours(const lbShares* shares, const Around* around, PetscInt* inside, PetscInt* outside) {
    const lbTetMesh* mesh = shares->work->def->mesh;
    for (int i = 0; i < shares->end - shares->begin; ++i) {
        for (int k = around->starts[i]; k < around->starts[i + 1]; ++k) {
            for (int c = 0; c < 4; ++c) {
                int other = mesh->tets[4 * (size_t)around->tets[k] + (size_t)c];
                if (around->seen[other] != i + 1) {
                    around->seen[other] = i + 1;
                    ++*(is_own(shares, other) ? &inside[i] : &outside[i]);
                }
            }
        }
    }
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

/* Rows `high` for each node by columns `wide`. */
static lbResult create_matrix(const lbShares* shares, int high, int wide, const PetscInt* inside,
                              const PetscInt* outside, Mat* matrix) {
    int own = shares->end - shares->begin;
    PetscInt *in, *out;
    TRY_PETSC(PetscMalloc2(high * own + 1, &in, high * own + 1, &out));
    for (int i = 0; i < high * own; ++i) {
        in[i] = wide * inside[i / high];
        out[i] = wide * outside[i / high];
    }
    TRY_PETSC(MatCreate(PETSC_COMM_WORLD, matrix));
    TRY_PETSC(MatSetSizes(*matrix, high * own, wide * own, PETSC_DETERMINE, PETSC_DETERMINE));
    TRY_PETSC(MatSetBlockSizes(*matrix, high, wide));
    TRY_PETSC(MatSetType(*matrix, MATAIJ));
    TRY_PETSC(MatSeqAIJSetPreallocation(*matrix, 0, in));
    TRY_PETSC(MatMPIAIJSetPreallocation(*matrix, 0, in, 0, out));
    TRY_PETSC(PetscFree2(in, out));
    return lb_success();
}

static lbResult finish_matrix(Mat matrix) {
    TRY_PETSC(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    TRY_PETSC(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    return lb_success();
}

/* Rows of one of this rank's nodes, of one element: what of them a matrix is. */
typedef void RowFn(const lbShares* shares, const double* sums, int tet, int row, double values[4 * 9]);

static void stiffness_row(const lbShares* shares, const double* sums, int tet, int row, double values[4 * 9]) {
    (void)sums;
    lbVec3d gradient[4];
    double volume = lb_element_gradients(shares->work->def->mesh, tet, gradient), block[9];
    for (int j = 0; j < 4; ++j) { /* three rows of twelve */
        memset(block, 0, sizeof(block));
        lb_add_element_block(&shares->matter[tet], volume, gradient[row], gradient[j], block);
        for (int k = 0; k < 9; ++k) {
            values[12 * (k / 3) + 3 * j + k % 3] = block[k];
        }
    }
}

static void volume_row(const lbShares* shares, const double* sums, int tet, int row, double values[4 * 9]) {
    (void)sums, (void)row;
    lbVec3d gradient[4];
    double volume = lb_element_gradients(shares->work->def->mesh, tet, gradient);
    for (int j = 0; j < 4; ++j) {
        values[3 * j] = volume * gradient[j].x;
        values[3 * j + 1] = volume * gradient[j].y;
        values[3 * j + 2] = volume * gradient[j].z;
    }
}

static void pressure_row(const lbShares* shares, const double* sums, int tet, int row, double values[4 * 9]) {
    const int* node = shares->work->def->mesh->tets + 4 * (size_t)tet;
    lbVec3d gradient[4];
    double weight = shares->matter[tet].kappa * lb_element_gradients(shares->work->def->mesh, tet, gradient) / 16;
    for (int j = 0; j < 4; ++j) {
        values[j] = weight / (sums[node[row]] * sums[node[j]]);
    }
}

static lbResult fill_matrix(const lbShares* shares, const Around* around, const double* sums, int high, int wide,
                            RowFn* rowOf, Mat matrix) {
    const lbTetMesh* mesh = shares->work->def->mesh;
    for (int i = 0; i < shares->end - shares->begin; ++i) {
        for (int k = around->starts[i]; k < around->starts[i + 1]; ++k) {
            int tet = around->tets[k], node = shares->begin + i, row = 0;
            if (sums != NULL && !(shares->matter[tet].kappa > 0)) {
                continue;
            }
            double values[4 * 9];
            PetscInt rows[3], columns[12];
            while (mesh->tets[4 * (size_t)tet + (size_t)row] != node) {
                ++row;
            }
            rowOf(shares, sums, tet, row, values);
            for (int c = 0; c < high; ++c) {
                rows[c] = high * node + c;
            }
            for (int c = 0; c < 4 * wide; ++c) {
                columns[c] = wide * mesh->tets[4 * (size_t)tet + (size_t)(c / wide)] + c % wide;
            }
            TRY_PETSC(MatSetValues(matrix, high, rows, 4 * wide, columns, values, ADD_VALUES));
        }
    }
    return finish_matrix(matrix);
}

/* s_a's measure: volumes of the elements around each node that take part. The mesh is every rank's. */
static lbResult sum_volumes(const lbShares* shares, double** sums) {
    const lbTetMesh* mesh = shares->work->def->mesh;
    *sums = LB_NEW(shares->work->host, double, mesh->pointCount);
    for (int t = 0; *sums != NULL && t < mesh->tetCount; ++t) {
        lbVec3d gradient[4];
        double volume = shares->matter[t].kappa > 0 ? lb_element_gradients(mesh, t, gradient) : 0;
        for (int k = 0; k < 4; ++k) {
            (*sums)[mesh->tets[4 * (size_t)t + (size_t)k]] += volume;
        }
    }
    return *sums != NULL ? lb_success() : lb_out_of_memory("volumes");
}

static lbResult add_averages(lbShares* shares, const Around* around, const PetscInt* inside, const PetscInt* outside) {
    double* sums = NULL;
    Mat product = NULL;
    LB_TRY(sum_volumes(shares, &sums));
    lbResult result = create_matrix(shares, 1, 3, inside, outside, &shares->volumes);
    if (result.code == lb_ok) {
        result = fill_matrix(shares, around, sums, 1, 3, volume_row, shares->volumes);
    }
    if (result.code == lb_ok) {
        result = create_matrix(shares, 1, 1, inside, outside, &shares->pressures);
    }
    if (result.code == lb_ok) {
        result = fill_matrix(shares, around, sums, 1, 1, pressure_row, shares->pressures);
    }
    lb_release(shares->work->host, sums);
    LB_TRY(result);
    TRY_PETSC(MatPtAP(shares->pressures, shares->volumes, MAT_INITIAL_MATRIX, 2, &product));
    TRY_PETSC(MatAXPY(product, 1, shares->stiffness, SUBSET_NONZERO_PATTERN));
    TRY_PETSC(MatDestroy(&shares->stiffness));
    TRY_PETSC(MatSetBlockSize(product, 3));
    shares->stiffness = product;
    return lb_success();
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static lbResult assemble(lbShares* shares, Around* around, PetscInt* inside, PetscInt* outside) {
    const lbPrecomputeDef* def = shares->work->def;
    bool averaged = false;
    shares->matter = LB_NEW(shares->work->host, lbElementMatter, def->mesh->tetCount);
    if (shares->matter == NULL) {
        return lb_out_of_memory("matter");
    }
    for (int t = 0; t < def->mesh->tetCount; ++t) {
        shares->matter[t] = lb_element_matter(&shares->work->matter[t], def->incompressible);
        averaged = averaged || shares->matter[t].kappa > 0;
    }
    count_neighbours(shares, around, inside, outside);
    LB_TRY(create_matrix(shares, 3, 3, inside, outside, &shares->stiffness));
    LB_TRY(fill_matrix(shares, around, NULL, 3, 3, stiffness_row, shares->stiffness));
    return averaged ? add_averages(shares, around, inside, outside) : lb_success();
}

lbResult lb_assemble_shares(const lbPrecomputeWork* work, lbShares* shares) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    int64_t nodes = work->def->mesh->pointCount;
    *shares = (lbShares){.work = work, .begin = (int)(nodes * rank / ranks), .end = (int)(nodes * (rank + 1) / ranks)};
    int own = shares->end - shares->begin;
    PetscInt* inside = LB_NEW(work->host, PetscInt, own);
    PetscInt* outside = LB_NEW(work->host, PetscInt, own);
    Around around = {0};
    lbResult result = inside != NULL && outside != NULL ? find_around(shares, &around) : lb_out_of_memory("rows");
    if (result.code == lb_ok) {
        result = assemble(shares, &around, inside, outside);
    }
    free_around(work->host, &around);
    lb_release(work->host, inside);
    lb_release(work->host, outside);
    return result;
}

void lb_free_shares(lbShares* shares) {
    MatDestroy(&shares->stiffness);
    MatDestroy(&shares->volumes);
    MatDestroy(&shares->pressures);
    lb_release(shares->work->host, shares->matter);
}
