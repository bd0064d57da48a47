/* VTK's XML file of an unstructured grid, in one or several pieces. Of the data that come with it, arrays over the
 * cells that are named as regions or as numbers of matter are read, and integers over the points, as flags of groups;
 * the rest is passed over. */
#include "base/result.h"
#include "mesh/files/vtu_data.h"

#include <string.h>

typedef enum Section { sectionNone, sectionPoints, sectionCells, sectionCellData, sectionPointData } Section;

typedef struct Reader {
    lbVtuFile vtu;
    lbTetFile* file;
    lbXmlScan scan;
    lbVtkGrid grid; /* of the piece being read */
    lbRealList points;
    int64_t pointCount, cellCount; /* of the piece, as it says */
    const char* pointsPlace;
    bool inPiece;
    Section section;
} Reader;

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static lbResult read_file_tag(Reader* reader, const lbXmlTag* tag) {
    lbVtuFile* vtu = &reader->vtu;
    lbWord type = {"", 0}, compressor = {"", 0};
    lb_find_attribute(tag, "type", &type);
    if (!lb_word_is(type, "UnstructuredGrid")) {
        return lb_vtu_error(vtu, tag->place, "expected a VTKFile of the type 'UnstructuredGrid', found '%.*s'",
                            type.length > 40 ? 40 : (int)type.length, type.text);
    }
    if (lb_find_attribute(tag, "compressor", &compressor) && compressor.length > 0) {
        vtu->unpack = lb_word_is(compressor, "vtkZLibDataCompressor")  ? lb_inflate
                      : lb_word_is(compressor, "vtkLZ4DataCompressor") ? lb_unpack_lz4
                                                                       : NULL;
        if (vtu->unpack == NULL) {
            return lb_error(lb_errorUnsupported,
                            "%s:%d: packed by '%.*s', which is not read; expected vtkZLibDataCompressor, "
                            "vtkLZ4DataCompressor or none",
                            vtu->path, lb_xml_line(&vtu->scan, tag->place),
                            compressor.length > 40 ? 40 : (int)compressor.length, compressor.text);
        }
    }
    vtu->bigEndian = lb_attribute_is(tag, "byte_order", "BigEndian");
    vtu->headerBytes = lb_attribute_is(tag, "header_type", "UInt64") ? 8 : 4;
    return lb_success();
}

/* Finds what is appended at the end, which arrays before it need. */
static lbResult survey(Reader* reader) {
    lbVtuFile* vtu = &reader->vtu;
    lbXmlTag tag;
    bool broken = false, found = false;
    lbXmlScan scan = vtu->scan;
    while (lb_next_tag(&scan, &tag, &broken)) {
        if (lb_word_is(tag.name, "VTKFile") && !tag.closes) {
            LB_TRY(read_file_tag(reader, &tag));
            found = true;
        } else if (lb_word_is(tag.name, "AppendedData") && !tag.closes) {
            const char* underscore = memchr(scan.at, '_', (size_t)(scan.end - scan.at));
            vtu->appended = underscore != NULL ? underscore + 1 : NULL;
            vtu->appendedBase64 = lb_attribute_is(&tag, "encoding", "base64");
            vtu->scan.end = scan.end;
            reader->scan.end = tag.place; /* no tags behind it */
            break;
        }
    }
    if (broken) {
        return lb_vtu_error(vtu, scan.at, "a tag without an end");
    }
    return found ? lb_success() : lb_vtu_error(vtu, vtu->scan.start, "expected a tag <VTKFile>, found none");
}

/* ---- A piece ----------------------------------------------------------------------------------------------------- */

static lbResult begin_piece(Reader* reader, const lbXmlTag* tag) {
    LB_TRY(lb_vtu_count(&reader->vtu, tag, "NumberOfPoints", &reader->pointCount));
    LB_TRY(lb_vtu_count(&reader->vtu, tag, "NumberOfCells", &reader->cellCount));
    int64_t size = reader->vtu.scan.end - reader->vtu.scan.start;
    int64_t most =
        reader->vtu.unpack != NULL ? lb_mostInflation * size : size; /* a byte at least for each, if not packed */
    if (reader->pointCount > most || reader->cellCount > most) {
        return lb_vtu_error(&reader->vtu, tag->place,
                            "the piece says it has %lld points and %lld cells, but the file has only %lld bytes",
                            (long long)reader->pointCount, (long long)reader->cellCount, (long long)size);
    }
    reader->inPiece = true;
    reader->grid.place = lb_xml_line(&reader->vtu.scan, tag->place);
    return lb_success();
}

static lbResult add_points(Reader* reader) {
    const lbRealList* points = &reader->points;
    int64_t place = lb_xml_line(&reader->vtu.scan, reader->pointsPlace);
    LB_TRY(lb_reserve_nodes(reader->file, points->count / 3));
    for (int i = 0; i < points->count / 3; ++i) {
        LB_TRY(lb_add_node(reader->file, place, reader->grid.firstNode + i, points->data + 3 * (size_t)i));
    }
    return lb_success();
}

static lbResult check_cells(const Reader* reader) {
    const lbVtkGrid* grid = &reader->grid;
    if (grid->types.count != reader->cellCount || grid->ends.count != reader->cellCount) {
        return lb_error(lb_errorFormat, "%s:%lld: the piece has %lld cells; expected as many 'offsets' and 'types'",
                        reader->vtu.path, (long long)grid->place, (long long)reader->cellCount);
    }
    for (int i = 0; i < grid->ends.count; ++i) {
        int64_t before = i > 0 ? grid->ends.data[i - 1] : 0;
        if (grid->ends.data[i] < before || grid->ends.data[i] > grid->connectivity.count) {
            return lb_error(lb_errorFormat,
                            "%s:%lld: offset %d of the cells is %lld; expected them to rise to %d, the length of "
                            "'connectivity'",
                            reader->vtu.path, (long long)grid->place, i, (long long)grid->ends.data[i],
                            grid->connectivity.count);
        }
    }
    return lb_success();
}

static lbResult end_piece(Reader* reader) {
    reader->inPiece = false;
    if (reader->points.count != 3 * reader->pointCount) {
        return lb_error(lb_errorFormat, "%s:%lld: the piece says it has %lld points; expected an array of them",
                        reader->vtu.path, (long long)reader->grid.place, (long long)reader->pointCount);
    }
    LB_TRY(add_points(reader));
    LB_TRY(check_cells(reader));
    LB_TRY(lb_add_vtk_cells(reader->file, &reader->grid));
    reader->grid.firstNode += reader->pointCount;
    reader->grid.firstCell += reader->cellCount;
    reader->points.count = 0;
    lb_empty_vtk_grid(&reader->grid);
    return lb_success();
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static bool is_blank(lbWord text) {
    for (size_t i = 0; i < text.length; ++i) {
        if (text.text[i] > ' ') {
            return false;
        }
    }
    return true;
}

/* The text of an array. VTK may put tags of its own before it, which are stepped over. */
static lbWord text_of_array(Reader* reader, const lbXmlTag* array) {
    lbXmlScan scan = reader->scan;
    lbWord text = lb_xml_text(&scan);
    lbXmlTag tag;
    bool broken = false;
    while (!array->empty && is_blank(text) && lb_next_tag(&scan, &tag, &broken)) {
        if (tag.closes && lb_word_is(tag.name, "DataArray")) {
            break;
        }
        if (tag.closes && lb_word_is(tag.name, "InformationKey")) {
            text = lb_xml_text(&scan);
        }
    }
    return text;
}

static bool is_single(const lbXmlTag* tag) {
    lbWord width;
    return !lb_find_attribute(tag, "NumberOfComponents", &width) || lb_word_is(width, "1") || width.length == 0;
}

static bool is_flag(const lbXmlTag* tag) {
    lbWord type = {"", 0};
    lb_find_attribute(tag, "type", &type);
    return is_single(tag) && type.length > 3 &&
           (memcmp(type.text, "Int", 3) == 0 || (type.length > 4 && memcmp(type.text, "UInt", 4) == 0));
}

static lbResult read_flags(Reader* reader, const lbXmlTag* tag, lbWord text, lbWord name) {
    lbIntegerList values = {0};
    lbResult result = lb_read_vtu_integers(&reader->vtu, tag, text, reader->pointCount, &values);
    if (result.code == lb_ok && !lb_keep_vtk_flags(&reader->grid, name, &values)) {
        result = lb_vtu_out_of_memory(&reader->vtu);
    }
    LB_FREE_ARRAY(reader->grid.host, &values);
    return result;
}

static lbResult read_array(Reader* reader, const lbXmlTag* tag) {
    const lbVtuFile* vtu = &reader->vtu;
    lbVtkGrid* grid = &reader->grid;
    lbWord text = text_of_array(reader, tag), name = {"", 0};
    lb_find_attribute(tag, "Name", &name);
    switch (reader->section) {
    case sectionPoints:
        if (reader->points.count > 0 || !lb_attribute_is(tag, "NumberOfComponents", "3")) {
            return lb_vtu_error(vtu, tag->place, "expected one array of points, of 3 components");
        }
        reader->pointsPlace = tag->place;
        return lb_read_vtu_reals(vtu, tag, text, 3 * reader->pointCount, &reader->points);
    case sectionCells:
        if (lb_word_is(name, "connectivity") && grid->connectivity.count == 0) {
            grid->place = lb_xml_line(&vtu->scan, tag->place);
            return lb_read_vtu_integers(vtu, tag, text, -1, &grid->connectivity);
        }
        if (lb_word_is(name, "offsets") && grid->ends.count == 0) {
            return lb_read_vtu_integers(vtu, tag, text, reader->cellCount, &grid->ends);
        }
        if (lb_word_is(name, "types") && grid->types.count == 0) {
            return lb_read_vtu_integers(vtu, tag, text, reader->cellCount, &grid->types);
        }
        return lb_success();
    case sectionCellData:
        if (grid->regions.count == 0 && is_single(tag) && lb_is_region_name(name)) {
            return lb_read_vtu_integers(vtu, tag, text, reader->cellCount, &grid->regions);
        }
        if (lb_matter_name(name) >= 0 && is_single(tag) && grid->matter[lb_matter_name(name)].count == 0) {
            return lb_read_vtu_reals(vtu, tag, text, reader->cellCount, &grid->matter[lb_matter_name(name)]);
        }
        return lb_success();
    case sectionPointData:
        return is_flag(tag) && name.length > 0 ? read_flags(reader, tag, text, name) : lb_success();
    default:
        return lb_success();
    }
}

static lbResult read_tag(Reader* reader, const lbXmlTag* tag) {
    static const struct {
        const char* name;
        Section section;
    } sections[] = {{"Points", sectionPoints},       {"Cells", sectionCells},    {"CellData", sectionCellData},
                    {"PointData", sectionPointData}, {"FieldData", sectionNone}, {"Verts", sectionNone}};
    if (lb_word_is(tag->name, "Piece")) {
        if (reader->inPiece != tag->closes) {
            return lb_vtu_error(&reader->vtu, tag->place, "a piece within a piece, or one that ends twice");
        }
        if (tag->closes) {
            return end_piece(reader);
        }
        LB_TRY(begin_piece(reader, tag));
        return tag->empty ? end_piece(reader) : lb_success();
    }
    if (lb_word_is(tag->name, "DataArray") && !tag->closes && reader->inPiece) {
        return read_array(reader, tag);
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
        if (lb_word_is(tag->name, sections[i].name) && !tag->empty) {
            reader->section = tag->closes ? sectionNone : sections[i].section;
        }
    }
    return lb_success();
}

static lbResult read_pieces(Reader* reader) {
    lbXmlTag tag;
    bool broken = false;
    LB_TRY(survey(reader));
    lb_name_format(reader->file, "VTU, %s%s",
                   reader->vtu.appended == NULL ? "inline"
                   : reader->vtu.appendedBase64 ? "appended base64"
                                                : "appended",
                   reader->vtu.unpack != NULL ? ", packed" : "");
    while (lb_next_tag(&reader->scan, &tag, &broken)) {
        LB_TRY(read_tag(reader, &tag));
    }
    LB_TRY(lb_group_vtk_flags(reader->file, &reader->grid));
    return reader->inPiece
               ? lb_error(lb_errorFormat, "%s: the last piece has no end: '</Piece>' is not there", reader->vtu.path)
               : lb_success();
}

lbResult lb_parse_vtu(const lbTetSource* source, lbTetFile* file) {
    const char* bytes = (const char*)source->bytes;
    lbXmlScan scan = {bytes, bytes, bytes + source->size};
    Reader reader = {.vtu = {.host = source->host, .path = source->path, .scan = scan},
                     .file = file,
                     .scan = scan,
                     .grid.host = source->host};
    lbResult result = read_pieces(&reader);
    LB_FREE_ARRAY(source->host, &reader.points);
    lb_free_vtk_grid(&reader.grid);
    return result;
}
