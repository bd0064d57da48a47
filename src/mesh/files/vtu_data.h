/* The arrays of VTK's XML files: as text, in base64 between the tags, or appended behind them raw or in base64; packed
 * by zlib or not. */
#ifndef LIMBER_SRC_VTU_DATA_H
#define LIMBER_SRC_VTU_DATA_H

#include "base/file.h"
#include "mesh/files/unpack.h"
#include "mesh/files/vtk_grid.h"
#include "mesh/files/xml_scan.h"

/* What holds for all arrays of a file. */
typedef struct lbVtuFile {
    const lbHost* host;
    const char* path;
    lbXmlScan scan; /* of the whole file */
    bool bigEndian;
    lbUnpackFn* unpack;   /* NULL: not packed */
    int headerBytes;      /* of a length before an array: 4 or 8 */
    const char* appended; /* behind the underscore; NULL: there is none */
    bool appendedBase64;
} lbVtuFile;

/* "file:line: ..." */
LB_PRINTF(3, 4) lbResult lb_vtu_error(const lbVtuFile* file, const char* place, const char* format, ...);

lbResult lb_vtu_array_error(const lbVtuFile* file, const lbXmlTag* tag, const char* what);
lbResult lb_vtu_out_of_memory(const lbVtuFile* file);

/* An attribute that is a count. */
lbResult lb_vtu_count(const lbVtuFile* file, const lbXmlTag* tag, const char* attribute, int64_t* count);

/* The bytes of a DataArray that is not text. To be released, whatever the result. */
lbResult lb_read_vtu_bytes(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, lbBytes* bytes);

/* The values of a DataArray whose tag and text are given, added to a list. `count` is how many there must be; negative:
 * any number. */
lbResult lb_read_vtu_integers(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                              lbIntegerList* list);
lbResult lb_read_vtu_reals(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count, lbRealList* list);

#endif
