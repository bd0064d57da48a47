/* Tetrahedral meshes in files: what a reader hands over, what becomes of it, and what each reader and writer offers to
 * load.c and save.c. */
#ifndef LIMBER_SRC_TET_FILE_H
#define LIMBER_SRC_TET_FILE_H

#include "base/memory.h"
#include "base/text_scan.h"
#include "limber/tet_mesh.h"

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef enum lbCellKind {
    lb_cellUnknown,
    lb_cellPoint,
    lb_cellLine,
    lb_cellSurface,
    lb_cellTet,
    lb_cellPyramid,   /* base 0 1 2 3, top 4 */
    lb_cellPrism,     /* triangles 0 1 2 and 3 4 5, 3 over 0 */
    lb_cellHexahedron /* quadrilaterals 0 1 2 3 and 4 5 6 7, 4 over 0 */
} lbCellKind;

enum { lb_mostCorners = 8 };

/* Of kinds that fill a volume; 0 for others. */
int lb_corner_count(lbCellKind kind);

typedef struct lbFileElement {
    lbCellKind kind;
    bool higherOrder;     /* has more nodes than its corners, which come first */
    int64_t number;       /* what the file calls it */
    int64_t place;        /* its line, or its byte in a binary file */
    int region;           /* the part or material it belongs to; 0: none */
    const int64_t* nodes; /* its corners, by the file's numbers */
} lbFileElement;

typedef struct lbFileNode {
    int64_t number;     /* what the file calls it */
    double position[3]; /* m */
} lbFileNode;

typedef struct lbFileTet {
    int64_t nodes[4];      /* by the file's numbers */
    int64_t number, place; /* of the element it is, or is a part of */
    int region;
    bool hasMatter;  /* something is known of what it is made of; */
    lbMatter matter; /* then: NAN for what is not */
    int partCount;   /* tetrahedra of its element from this one on: 1, or more where a hexahedron was cut */
} lbFileTet;

enum { lb_groupNameLimit = 64, lb_mostGroups = 1024 };

/* A named group of nodes; a name that is too long is cut. */
typedef struct lbFileGroup {
    char name[lb_groupNameLimit];
} lbFileGroup;

typedef struct lbFileMember {
    int64_t node; /* by the file's numbers */
    int group;
} lbFileMember;

/* A mesh on its way from a file. Zero-initialised but for the first group it is empty. */
typedef struct lbTetFile {
    const lbHost* host;
    const char* path; /* for messages: of the file with the elements */
    bool binary;      /* places are bytes, not lines */
    bool leaveOutBad; /* elements without volume and those that stand twice */

    LB_ARRAY(lbFileNode) nodes;
    LB_ARRAY(lbFileTet) tets;
    LB_ARRAY(lbFileGroup) groups;
    LB_ARRAY(lbFileMember) members;
    lbTetMeshFileReport report;
    LB_ARRAY(char*) paths; /* of files beside the one that was named; released with this */
} lbTetFile;

/* Room for that many more; a reader calls it once it knows that the file can hold them. */
lbResult lb_reserve_nodes(lbTetFile* file, int64_t count);
lbResult lb_reserve_elements(lbTetFile* file, int64_t count);

/* Refuses what is not finite. */
lbResult lb_add_node(lbTetFile* file, int64_t place, int64_t number, const double position[3]);
/* Points, lines and surfaces are counted only; what has more corners than a tetrahedron is cut. */
lbResult lb_add_element(lbTetFile* file, const lbFileElement* element);
/* Refuses an element for what is wrong with it, or counts it where such are left out. */
lbResult lb_bad_element(lbTetFile* file, const lbFileTet* tet, const char* what);
/* Counts elements of a kind that a reader steps over as a whole. */
void lb_pass_over(lbTetFile* file, lbCellKind kind, int64_t count);
/* "Gmsh 4.1, binary" */
LB_PRINTF(2, 3) void lb_name_format(lbTetFile* file, const char* format, ...);

/* ---- Groups of nodes (file_groups.c) ---- */

/* The group of a name, made if it is not there; names are told apart by case. -1: there is no memory, or there are too
 * many, which the log is told. */
int lb_find_or_make_group(lbTetFile* file, lbWord name);
int lb_find_group(const lbTetFile* file, lbWord name); /* -1: it is not there */
/* A node of a group; -1 is no group, and nothing is done. Nodes may come twice. */
lbResult lb_add_member(lbTetFile* file, int group, int64_t node);
/* The corners of tetrahedra first <= i < end. */
lbResult lb_add_tet_members(lbTetFile* file, int group, int first, int end);

/* Which number of its matter an array of that name holds: 0 density, 1 Young's modulus, 2 Poisson's ratio; -1: none. */
int lb_matter_name(lbWord name);
/* Says what a tetrahedron has; `value` as the file has it. */
void lb_set_tet_matter(lbFileTet* tet, int which, double value);

struct lbNodeNumbers;
/* Groups as a mesh is given them: (groups.count); released with lb_release_groups. */
lbResult lb_gather_groups(const lbTetFile* file, const struct lbNodeNumbers* numbers, lbNodeGroup** groups);
void lb_release_groups(const lbTetFile* file, lbNodeGroup* groups);

/* Cuts an element into tetrahedra and returns how many (6 at most): corners of each, as indices into `nodes`. How a
 * face is cut follows from its node numbers alone, so that neighbours agree (cut_cells.c). */
int lb_cut_cell(lbCellKind kind, const int64_t* nodes, int tets[6][4]);

/* The file takes over a path that was allocated with its host. False if there is no memory; it is released then. */
bool lb_keep_path(lbTetFile* file, char* path);

/* Finds the nodes that elements name, turns elements that run the wrong way round, refuses or leaves out bad ones. */
lbResult lb_finish_tet_file(lbTetFile* file, lbTetMesh** mesh);
void lb_free_tet_file(lbTetFile* file);

/* A file's contents, to be parsed. */
typedef struct lbTetSource {
    const lbHost* host;
    const unsigned char* bytes;
    size_t size;
    const char* path; /* for messages, and to find what stands beside the file */
    bool alone;       /* open no other file */
} lbTetSource;

/* Each fills the file from the source. */
typedef lbResult lbTetParseFn(const lbTetSource* source, lbTetFile* file);
lbTetParseFn lb_parse_gmsh, lb_parse_tetgen, lb_parse_medit, lb_parse_medit_binary, lb_parse_vtk, lb_parse_vtu,
    lb_parse_abaqus, lb_parse_vega;

/* Both files of a TetGen mesh. */
lbResult lb_parse_tetgen_pair(const lbTetSource* nodes, const lbTetSource* elements, lbTetFile* file);

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

typedef lbResult lbTetWriteFn(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def);
lbTetWriteFn lb_write_gmsh, lb_write_tetgen, lb_write_medit, lb_write_medit_binary, lb_write_vtk_mesh,
    lb_write_vtu_mesh, lb_write_abaqus, lb_write_vega;

/* Whether a mesh can be written so: by the ending of the path, and what the definition asks for. */
lbResult lb_check_tet_mesh_path(const char* path, const lbTetMeshSaveDef* def);

#endif
